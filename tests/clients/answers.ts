const at = '2026-01-31T09:30:00.000Z'

export const person = {
  type: 'person',
  id: 'p1',
  attributes: {
    _id: 'p1',
    _created_at: at,
    _created_by: null,
    _updated_at: at,
    _updated_by: null,
    job_title: 'Senator',
  },
  relationships: {},
}

export const onePage = {
  data: [person],
  meta: { total_records: 1, total_pages: 1, offset: 0, limit: 10 },
  links: { next: null, prev: null },
  included: [],
}

export const conflict = {
  errors: [{ id: 'r1', status: '409', code: 'unique_violation', title: 'Value already in use', detail: 'Taken.' }],
}

/** The parameters that a list call with these conditions must put into the URL, in every client. */
export const listQuery: [string, string][] = [
  ['page[limit]', '10'],
  ['sortOrder[column]', 'name'],
  ['sortOrder[dir]', 'ASC'],
  ['filter[job_title][Contains]', 'a & b'],
  ['filter[amount][Greater than]', '5000'],
]
