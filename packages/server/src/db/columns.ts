import { automationTables } from './automation-columns.ts'
import { campaignTables } from './campaign-columns.ts'
import { emailTables } from './email-columns.ts'
import { factorTables } from './factor-columns.ts'
import { fileTables } from './file-columns.ts'
import { meetingTables } from './meeting-columns.ts'
import { notificationTables } from './notification-columns.ts'
import { transferTables } from './transfer-columns.ts'
import { viewTables } from './view-columns.ts'

/**
 * The storage type of a column. `document` is JSON that keeps the order of its members; `json` is indexable and may
 * reorder them; `timestamp` is whole milliseconds since 1970 on both databases (docs/decisions/0003); `integers` is a
 * set of numbers that is searched and never read.
 */
export type ColumnKind =
  | 'uuid'
  | 'text'
  | 'integer'
  | 'float'
  | 'boolean'
  | 'json'
  | 'document'
  | 'timestamp'
  | 'integers'

/** A kind with `?` where the column may be null, with `=` where the database fills in a value that is not given. */
type ColumnType = ColumnKind | `${ColumnKind}${'?' | '='}`

/**
 * The columns that the application writes, by table. Inserts cast by it, rows are decoded by it and typed by it
 * (`RowOf`), so it is the only definition of how a value is sent to either database.
 */
export const tables = {
  ...automationTables,
  ...campaignTables,
  ...emailTables,
  ...factorTables,
  ...fileTables,
  ...meetingTables,
  ...notificationTables,
  ...transferTables,
  ...viewTables,
  workspace: {
    id: 'uuid',
    organization_id: 'uuid',
    slug: 'text',
    name: 'text',
    schema_epoch: 'integer',
    settings: 'json=',
    inbound_rotation: 'integer=',
    created_at: 'timestamp',
  },
  app_user: {
    id: 'uuid',
    email: 'text',
    email_key: 'text',
    name: 'text?',
    created_at: 'timestamp',
    last_active_at: 'timestamp?',
    unverified_since: 'timestamp?',
  },
  membership: { workspace_id: 'uuid', user_id: 'uuid', role: 'text', created_at: 'timestamp' },
  api_key: {
    workspace_id: 'uuid',
    id: 'uuid',
    name: 'text',
    key_prefix: 'text',
    key_hash: 'text',
    scopes: 'json',
    actor_type: 'text',
    user_id: 'uuid?',
    created_by: 'uuid?',
    expires_at: 'timestamp?',
    created_at: 'timestamp',
    updated_at: 'timestamp',
    last_used_at: 'timestamp?',
  },
  retired_key: { workspace_id: 'uuid', key_id: 'uuid', key_hash: 'text', valid_until: 'timestamp' },
  password: { user_id: 'uuid', password_hash: 'text', updated_at: 'timestamp' },
  sign_in_attempt: { email_hash: 'text', failures: 'integer', began_at: 'timestamp' },
  session: {
    id: 'uuid',
    token_hash: 'text',
    user_id: 'uuid',
    user_agent: 'text?',
    created_at: 'timestamp',
    last_seen_at: 'timestamp',
  },
  password_link: { token_hash: 'text', user_id: 'uuid', created_at: 'timestamp', verifies: 'boolean=' },
  invitation: {
    workspace_id: 'uuid',
    id: 'uuid',
    email: 'text',
    email_key: 'text',
    role: 'text',
    name: 'text?',
    token_hash: 'text',
    created_at: 'timestamp',
    created_by: 'uuid',
    sent_at: 'timestamp',
    mailed: 'boolean=',
    ended_at: 'timestamp?',
  },
  signing_key: { kid: 'text', private_jwk: 'json', created_at: 'timestamp' },
  oauth_client: {
    id: 'uuid',
    name: 'text',
    client_type: 'text',
    secret_hash: 'text?',
    redirect_uris: 'json',
    created_at: 'timestamp',
    workspace_id: 'uuid?',
    scopes: 'json?',
    self_registered: 'boolean=',
    created_by: 'uuid?',
  },
  oauth_consent: {
    user_id: 'uuid',
    client_id: 'uuid',
    workspace_id: 'uuid',
    scopes: 'json',
    created_at: 'timestamp',
    updated_at: 'timestamp',
    last_used_at: 'timestamp?',
  },
  oauth_artifact: {
    model: 'text',
    id_hash: 'text',
    grant_id: 'text?',
    user_id: 'uuid?',
    client_id: 'uuid?',
    sealed: 'document',
    expires_at: 'timestamp',
    consumed_at: 'timestamp?',
    workspace_id: 'uuid?',
  },
  schema_version: {
    workspace_id: 'uuid',
    object: 'text',
    version: 'integer',
    document: 'document',
    keys: 'document=',
    created_at: 'timestamp',
    created_by: 'uuid?',
    deleted_at: 'timestamp?',
  },
  schema_target: {
    workspace_id: 'uuid',
    object: 'text',
    task_id: 'uuid',
    target_state: 'text',
    target: 'document',
    target_keys: 'document',
    target_version: 'integer',
    gone: 'boolean',
    clearing: 'document?',
    created_at: 'timestamp',
  },
  schema_queue: {
    workspace_id: 'uuid',
    task_id: 'uuid',
    place: 'integer',
    objects: 'document',
    request: 'document',
    created_at: 'timestamp',
  },
  async_task: {
    workspace_id: 'uuid',
    id: 'uuid',
    user_id: 'uuid',
    type: 'text',
    progress: 'integer',
    total: 'integer?',
    metadata: 'document',
    queued_at: 'timestamp',
    started_at: 'timestamp?',
    completed_at: 'timestamp?',
    failed_at: 'timestamp?',
    error_code: 'text?',
    updated_at: 'timestamp',
  },
  record: {
    workspace_id: 'uuid',
    id: 'uuid',
    object: 'text',
    visibility: 'integer',
    owner_id: 'uuid?',
    version: 'integer',
    created_at: 'timestamp',
    created_by: 'uuid?',
    updated_at: 'timestamp',
    updated_by: 'uuid?',
    deleted_at: 'timestamp?',
    deleted_by: 'uuid?',
    data: 'json',
    feed_end: 'document?',
  },
  field_text: {
    workspace_id: 'uuid',
    field: 'text',
    is_null: 'integer',
    text_value: 'text',
    record_id: 'uuid',
    visibility: 'integer',
  },
  field_number: {
    workspace_id: 'uuid',
    field: 'text',
    is_null: 'integer',
    number_value: 'float',
    record_id: 'uuid',
    visibility: 'integer',
  },
  field_gram: {
    workspace_id: 'uuid',
    field: 'text',
    record_id: 'uuid',
    created_at: 'timestamp',
    is_known: 'integer',
    known_text: 'text',
    grams: 'integers',
  },
  search_document: {
    workspace_id: 'uuid',
    record_id: 'uuid',
    object: 'text',
    created_at: 'timestamp',
    title_text: 'text',
    document_text: 'text',
    grams: 'integers?',
  },
  field_index_state: {
    workspace_id: 'uuid',
    object: 'text',
    field: 'text',
    kind: 'text',
    state: 'text',
    filled: 'integer',
    total: 'integer',
    until_at: 'timestamp?',
    filled_at: 'timestamp?',
    filled_id: 'uuid?',
    requested_at: 'timestamp',
    ready_at: 'timestamp?',
    last_used_at: 'timestamp?',
  },
  unique_key: { workspace_id: 'uuid', field: 'text', key_value: 'text', record_id: 'uuid' },
  link: { workspace_id: 'uuid', relationship: 'text', from_id: 'uuid', to_id: 'uuid', hidden_by: 'uuid?' },
  access_grant: {
    workspace_id: 'uuid',
    record_id: 'uuid',
    grantee_id: 'uuid',
    grantee_type: 'text',
    id: 'uuid',
    object: 'text',
    level: 'integer',
    created_at: 'timestamp',
    created_by: 'uuid',
    updated_at: 'timestamp?',
    updated_by: 'uuid?',
  },
  merged_record: { workspace_id: 'uuid', merged_id: 'uuid', target_id: 'uuid', owner_id: 'uuid?', merged_by: 'uuid?' },
  record_count: { workspace_id: 'uuid', object: 'text', total: 'integer' },
  record_count_delta: { workspace_id: 'uuid', object: 'text', id: 'uuid', delta: 'integer' },
  horizon: { workspace_id: 'uuid', told_until: 'timestamp' },
  outbox: {
    workspace_id: 'uuid',
    written_us: 'integer=',
    id: 'uuid',
    type: 'text',
    object: 'text?',
    record_id: 'uuid?',
    actor: 'json',
    silent: 'boolean',
    payload: 'json',
    created_at: 'timestamp',
  },
  event: {
    workspace_id: 'uuid',
    sequence: 'integer',
    id: 'uuid',
    type: 'text',
    object: 'text?',
    record_id: 'uuid?',
    actor: 'json',
    silent: 'boolean',
    payload: 'json',
    created_at: 'timestamp',
  },
  event_head: { workspace_id: 'uuid', last_sequence: 'integer' },
  event_cursor: { workspace_id: 'uuid', consumer: 'text', sequence: 'integer' },
  activity: {
    workspace_id: 'uuid',
    record_id: 'uuid',
    position: 'integer',
    place: 'integer',
    id: 'uuid',
    type: 'text',
    object: 'text',
    actor_id: 'text',
    actor_entity: 'text',
    on_behalf_of: 'json?',
    source_id: 'text?',
    diff: 'document',
    run_id: 'uuid?',
    list_id: 'uuid?',
    began_at: 'timestamp',
    created_at: 'timestamp',
  },
  comment: {
    workspace_id: 'uuid',
    id: 'uuid',
    record_id: 'uuid',
    object: 'text',
    message: 'document',
    mentions: 'json',
    attachment_ids: 'json=',
    author: 'json?',
    created_at: 'timestamp',
    created_by: 'uuid',
    updated_at: 'timestamp?',
    updated_by: 'uuid?',
  },
  idempotency: {
    workspace_id: 'uuid',
    actor_id: 'text',
    endpoint: 'text',
    idempotency_key: 'text',
    request_hash: 'text',
    status: 'integer?',
    body: 'document?',
    headers: 'document?',
    created_at: 'timestamp',
  },
  job: {
    workspace_id: 'uuid',
    id: 'uuid',
    kind: 'text',
    job_key: 'text?',
    payload: 'json',
    run_at: 'timestamp',
    scheduled_at: 'timestamp',
    wanted_at: 'timestamp?',
    attempt: 'integer',
    failures: 'integer',
    losses: 'integer',
    leased_at: 'timestamp?',
    leased_by: 'text?',
    watched_ms: 'integer?',
    last_error: 'text?',
    created_at: 'timestamp',
    ended_at: 'timestamp?',
  },
} as const satisfies Record<string, Record<string, ColumnType>>

type Tables = typeof tables

export type TableName = keyof Tables

export type ColumnOf<T extends TableName> = keyof Tables[T] & string

/**
 * The value of a column in the application. Stores declare the contents of their JSON: `RowOf<'record'> & { data:
 * RecordData }`.
 */
type ValueOf<C> = C extends `${infer Kind extends ColumnKind}?`
  ? ValueOfKind[Kind] | null
  : C extends `${infer Kind extends ColumnKind}=`
    ? ValueOfKind[Kind]
    : C extends ColumnKind
      ? ValueOfKind[C]
      : never

type ValueOfKind = {
  uuid: string
  text: string
  integer: number
  float: number
  boolean: boolean
  json: unknown
  document: unknown
  timestamp: number
  integers: readonly number[]
}

/** A row as it is read. */
export type RowOf<T extends TableName> = { readonly [C in keyof Tables[T]]: ValueOf<Tables[T][C]> }

type Optional<T extends TableName> = {
  [C in keyof Tables[T]]: Tables[T][C] extends ColumnKind ? never : C
}[keyof Tables[T]]

/** A row as it is inserted: without what may be null or is filled in by the database, where that is wanted. */
export type NewRowOf<T extends TableName> = Omit<RowOf<T>, Optional<T>> & Partial<Pick<RowOf<T>, Optional<T>>>
