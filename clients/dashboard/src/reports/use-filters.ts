import { useMemo } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';
import { readFilters, writeFilters, type Filters } from './filters.js';

/** The filters in the address, and a function that changes some of them there. */
export function useFilters(): [Filters, (changes: Partial<Filters>) => void] {
  const search = useSearch();
  const [location, navigate] = useLocation();
  const filters = useMemo(() => readFilters(search), [search]);
  return [filters, changes => navigate(location + writeFilters({ ...filters, ...changes }))];
}
