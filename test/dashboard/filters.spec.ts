import { describe, expect, it } from '@jest/globals';
import {
  readFilters,
  toFilter,
  toggled,
  valuesOfFilter,
  writeFilters,
} from '../../clients/dashboard/src/inbox/filters/filter-values.js';

const ID = '01960000-0000-7000-8000-000000000001';
const read = (address: string) => readFilters(new URLSearchParams(address));

describe('The filters of the inbox', () => {
  it('An address keeps every filter of the list, also a tag with a comma.', () => {
    const values = {
      status: ['open', 'snoozed'],
      assignee: ['me', 'none', ID],
      channel_id: [ID],
      tag: ['red, blue', 'vip'],
      priority: ['urgent'],
      unread: ['true'],
      mentioned: ['me'],
      participating: ['me'],
      waiting_longer_than: ['300'],
      csat: ['any'],
      query: ['Vera & Co'],
      updated_since: ['2026-01-01T00:00:00.000Z'],
      contact_id: [ID],
      sort: ['created reversed'],
    };
    expect(read(new URLSearchParams(writeFilters(values)).toString())).toEqual(values);
    expect(writeFilters(values)).toMatchObject({ tag: 'red\\, blue,vip', sort: 'created', order: 'asc' });
  });

  it('An address with values that the service would refuse keeps the others.', () => {
    const address = 'status=open,lost&assignee=ben&tag=&csat=9&waiting_longer_than=soon&sort=luck&updated_since=now';
    expect(read(`${address}&message=1&q=2&priority=high`)).toEqual({ status: ['open'], priority: ['high'] });
  });

  it('A filter reaches the list and saved views in the types of the service.', () => {
    const filter = toFilter(read('status=open,pending&unread=false&waiting_longer_than=60&sort=waiting'));
    expect(filter).toEqual({ status: 'open,pending', unread: false, waiting_longer_than: 60, sort: 'waiting' });
    expect(toFilter({ sort: ['waiting reversed'] })).toEqual({ sort: 'waiting', order: 'desc' });
  });

  it('A change begins with the filters of the view on the screen.', () => {
    expect(valuesOfFilter({ status: 'open', assignee: 'me' })).toEqual({ status: ['open'], assignee: ['me'] });
    expect(valuesOfFilter({ unread: true, sort: 'last_activity' })).toEqual({ unread: ['true'] });
    expect(valuesOfFilter({ sort: 'waiting', order: 'asc' })).toEqual({ sort: ['waiting'] });
    expect(valuesOfFilter({ order: 'asc' })).toEqual({ sort: ['last_activity reversed'] });
    expect(valuesOfFilter({ channel_id: null } as never)).toEqual({});
  });

  it('A value is added and taken away, and a filter of one value has the latest.', () => {
    const both = toggled({ status: ['open'] }, 'status', 'snoozed');
    expect(both).toEqual({ status: ['open', 'snoozed'] });
    expect(toggled(both, 'status', 'open')).toEqual({ status: ['snoozed'] });
    expect(toggled({ csat: ['1'] }, 'csat', '5')).toEqual({ csat: ['5'] });
    expect(writeFilters(toggled({ mentioned: ['me'] }, 'mentioned', 'me'))).toEqual({});
  });
});
