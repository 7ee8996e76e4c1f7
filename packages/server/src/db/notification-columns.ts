/** The columns of notifications, as `tables` in `columns.ts` describes columns. */
export const notificationTables = {
  notification: {
    workspace_id: 'uuid',
    id: 'uuid',
    user_id: 'uuid',
    notification_kind: 'text',
    object: 'text',
    record_id: 'uuid',
    comment_id: 'uuid?',
    run_id: 'uuid?',
    actor: 'json',
    read_at: 'timestamp?',
    digested_at: 'timestamp?',
    created_at: 'timestamp',
  },
  notification_preference: {
    workspace_id: 'uuid',
    user_id: 'uuid',
    muted: 'json',
    digest: 'text',
    digest_hour: 'integer',
    next_digest_at: 'timestamp?',
    last_digest_at: 'timestamp?',
  },
} as const
