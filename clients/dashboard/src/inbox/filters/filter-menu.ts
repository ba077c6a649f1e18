import type { FilterName } from './filter-values.js';

/** The menu of a filter, or that of all filters, and the id of the element at which it stands. */
export interface FilterMenu {
  name: FilterName | 'all';
  anchorId: string;
}

/** Opens the menu of all filters. */
export const ALL_FILTERS: FilterMenu = { name: 'all', anchorId: 'filter-button' };
