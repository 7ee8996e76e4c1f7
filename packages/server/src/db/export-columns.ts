/** The columns of exports, as `tables` in `columns.ts` describes columns. */
export const exportTables = {
  data_export: {
    workspace_id: 'uuid',
    id: 'uuid',
    kind: 'text',
    options: 'document',
    actor: 'json',
    state: 'text',
    file_name: 'text',
    rows_done: 'integer',
    size_bytes: 'integer?',
    error: 'text?',
    created_at: 'timestamp',
    created_by: 'uuid',
    started_at: 'timestamp?',
    ended_at: 'timestamp?',
  },
} as const
