/** The columns of files and of what hangs on records by them, as `tables` in `columns.ts` describes columns. */
export const fileTables = {
  file: {
    workspace_id: 'uuid',
    id: 'uuid',
    subject_id: 'uuid',
    name: 'text',
    upload_key: 'text',
    size_bytes: 'integer?',
    mime_type: 'text?',
    created_at: 'timestamp',
    discard_at: 'timestamp?',
  },
  attachment: {
    workspace_id: 'uuid',
    id: 'uuid',
    record_id: 'uuid',
    source: 'text',
    message_ref: 'text?',
    sent_by: 'document?',
    created_at: 'timestamp',
    created_by: 'uuid?',
  },
} as const
