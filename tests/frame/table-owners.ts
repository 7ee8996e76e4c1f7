/** The tables of each module; only the owner of a table names it in SQL (docs/decisions/0323). */
export const tablesOfOwners: Readonly<Record<string, readonly string[]>> = {
  access: ['access_grant'],
  activities: ['activity'],
  agents: ['agent_undo'],
  'async-tasks': ['async_task'],
  attachments: ['attachment'],
  campaigns: ['campaign', 'campaign_day', 'campaign_domain', 'campaign_place', 'campaign_recipient'],
  comments: ['comment'],
  counters: ['record_count', 'record_count_delta'],
  db: ['gram_index_head'],
  definitions: ['workflow', 'workflow_version'],
  emails: ['email', 'email_day', 'suppression'],
  engine: ['job'],
  events: ['event', 'event_cursor', 'event_head', 'horizon', 'outbox'],
  files: ['file'],
  'identity/api-keys': ['api_key', 'retired_key'],
  'identity/factors': ['recovery_code', 'second_factor'],
  'identity/invitations': ['invitation'],
  'identity/oauth': ['oauth_artifact', 'oauth_client', 'oauth_consent'],
  'identity/passkeys': ['passkey', 'used_challenge'],
  'identity/sign-in': ['password', 'password_link', 'session', 'sign_in_attempt'],
  'identity/tokens': ['signing_key'],
  'identity/users': ['app_user', 'membership'],
  imports: ['import_reject', 'import_revert', 'record_import'],
  indexes: ['field_gram', 'field_index_state', 'field_number', 'field_text', 'search_document'],
  layouts: ['layout'],
  lists: ['deleted_list', 'list', 'list_entry'],
  meetings: ['calendar_entry', 'meeting_recording', 'transcript_segment'],
  notifications: ['notification', 'notification_preference'],
  records: ['link', 'merged_record', 'record', 'unique_key'],
  requests: ['idempotency'],
  runs: ['workflow_pace', 'workflow_run', 'workflow_step', 'workflow_wait'],
  'schema-changes': ['schema_queue', 'schema_target'],
  schemas: ['schema_version'],
  webhooks: ['webhook', 'webhook_attempt', 'webhook_delivery'],
  workflows: ['workflow_arrival'],
  workspaces: ['workspace'],
}

/** A module that names tables of others, and why no function of their owner can do it. */
type Guest = { readonly module: string; readonly tables: readonly string[]; readonly reason: string }

const recordTables = ['link', 'merged_record', 'record', 'unique_key'] as const
const indexTables = ['field_number', 'field_text'] as const

export const guests: readonly Guest[] = [
  {
    module: 'filters',
    tables: ['record', 'link', 'search_document'],
    reason: 'It compiles filters of records to SQL, and is below records.',
  },
  {
    module: 'query',
    tables: [...recordTables, ...indexTables],
    reason: 'It compiles sorts and pages of records to SQL, and stands below records.',
  },
  {
    module: 'records',
    tables: [...indexTables, 'field_gram', 'search_document'],
    reason: 'A record and its index rows are deleted by one statement for each table.',
  },
  { module: 'indexes', tables: ['record'], reason: 'It reads the records that an index is built from, below records.' },
  { module: 'objects', tables: ['record'], reason: 'It finds records for modules below records.' },
  { module: 'access', tables: ['record'], reason: 'It finds who may see a record, below records.' },
  {
    module: 'schema-changes',
    tables: ['link', 'record', 'unique_key'],
    reason: 'It rewrites and clears stored records.',
  },
  {
    module: 'lists',
    tables: ['link', 'record'],
    reason: 'Entries are joined with their records, so that a page is visible and sorted in one statement.',
  },
  {
    module: 'sql',
    tables: ['link', 'record'],
    reason: 'It compiles the SQL of callers to one statement over records and their links.',
  },
  {
    module: 'meetings',
    tables: ['record'],
    reason: 'Meetings are records: theirs are joined with what is kept beside.',
  },
  {
    module: 'attachments',
    tables: ['file', 'record'],
    reason: 'A file is shown with its attachment, if its record is.',
  },
  {
    module: 'emails',
    tables: ['record', 'unique_key'],
    reason: 'Lists show only e-mails of people whom the caller sees.',
  },
  { module: 'campaigns', tables: ['record'], reason: 'Recipients are joined with their people, as lists are.' },
  { module: 'events', tables: ['record'], reason: 'A watermark is held against what records have been written.' },
  {
    module: 'schemas',
    tables: ['access_grant', 'schema_target', 'workspace'],
    reason: 'The epoch, the schemas and the grants on objects are read in one snapshot.',
  },
  { module: 'settings', tables: ['workspace'], reason: 'The settings are one column of the workspace.' },
  {
    module: 'identity/users',
    tables: ['workspace'],
    reason: 'The memberships of a person are listed with the names of their workspaces.',
  },
  {
    module: 'identity/api-keys',
    tables: ['app_user', 'workspace'],
    reason: 'Keys are listed with the names of their owners and workspaces.',
  },
  {
    module: 'identity/invitations',
    tables: ['app_user', 'workspace'],
    reason: 'An invitation is read with who invites, and into which workspace.',
  },
  {
    module: 'identity/oauth',
    tables: ['membership', 'workspace'],
    reason: 'Consents count in the workspaces of which their people are members.',
  },
  { module: 'workspaces', tables: ['membership'], reason: 'A call finds its workspace and role by one statement.' },
  {
    module: 'webhooks',
    tables: ['workspace'],
    reason: 'Metrics name the workspaces of all webhooks that have stopped.',
  },
  { module: 'indexes', tables: ['workspace'], reason: 'Metrics name the workspaces of all indexes.' },
  { module: 'runs', tables: ['workflow'], reason: 'A run is read with its workflow, once for each time it goes on.' },
  { module: 'workflows', tables: ['workflow'], reason: 'The secrets that sign requests are columns of the workflow.' },
  {
    module: 'campaigns',
    tables: ['workflow'],
    reason: 'Each e-mail asks whether its campaign is paused, and its pace.',
  },
]
