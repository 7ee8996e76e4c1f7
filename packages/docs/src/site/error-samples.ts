import type { ErrorCode, ErrorObject } from '@kontor/contract'

type Sample = Pick<ErrorObject, 'detail'> & Partial<Pick<ErrorObject, 'source' | 'meta'>>

const ids = {
  person: '019b2f6e-7a00-7000-8000-000000000001',
  other: '019b2f6e-7a00-7000-8000-000000000002',
  deal: '019b2f6e-7a00-7000-8000-000000000003',
} as const

/** Responses whose `detail`, `source` and `meta` the page of a code explains, in the words of the server. */
export const errorSamples: Readonly<Partial<Record<ErrorCode, Sample>>> = {
  unknown_parameter: {
    detail: 'There is no parameter "limit". Did you mean "page[limit]"?',
    source: { parameter: 'limit' },
    meta: { allowed: ['page[limit]', 'page[offset]', 'page[after]', 'search'] },
  },
  invalid_parameter: {
    detail: 'Must be a whole number.',
    source: { parameter: 'page[limit]' },
  },
  unknown_field: {
    detail: 'deal records cannot be sorted by "amout". Did you mean "amount"?',
    source: { parameter: 'sortOrder[column]' },
    meta: { allowed: ['name', 'stage', 'amount', 'close_date'] },
  },
  unknown_operator: {
    detail: '"amount" has no operator "Contans".',
    source: { parameter: 'filter[amount][Contans]' },
    meta: { allowed: ['Is', 'Is not', 'Greater than', 'Less than', 'Is empty', 'Is not empty'] },
  },
  unknown_value: {
    detail: '"Wonn" is not an option of "stage". Did you mean "Won"?',
    source: { parameter: 'filter[stage]' },
    meta: { allowed: ['Lead', 'Won', 'Lost'] },
  },
  unsupported_sql: {
    detail: 'There is no function json_extract. At character 8: json_extract',
    source: { pointer: '/sql' },
    meta: { token: 'json_extract', character: 8, allowed: ['count', 'sum', 'avg', 'min', 'max', 'median'] },
  },
  insufficient_scope: {
    detail: 'This requires the scope "records:write".',
    meta: { required: 'records:write', granted: ['records:read'] },
  },
  not_found: {
    detail: `There is no person with this id: it was merged into ${ids.other}.`,
    meta: { merged_into: ids.other },
  },
  related_not_found: {
    detail: `There is no person with the id "${ids.person}".`,
    meta: { ids: [ids.person] },
  },
  unique_violation: {
    detail:
      'Another deal already has this name. If values of this field may repeat, an admin can set its `xSvcUnique` to ' +
      'false in the schema.',
    source: { pointer: '/data/attributes/name' },
    meta: { field: 'name', value: 'renewal', existing_id: ids.deal },
  },
  match_ambiguous: {
    detail: '2 records match these values of email_addresses.',
    source: { pointer: '/data/attributes/email_addresses' },
    meta: { field: 'email_addresses', candidates: [ids.person, ids.other] },
  },
  campaign_state: {
    detail: 'This campaign is a draft: start it first.',
    meta: { state: 'draft' },
  },
  import_state: {
    detail: 'This import was reverted: start another.',
    meta: { state: 'completed' },
  },
  run_state: {
    detail: 'This run is in progress: cancel it first.',
    meta: { status: 'running' },
  },
  events_expired: {
    detail: 'The events up to 41200 are no longer stored.',
    source: { parameter: 'after' },
    meta: { first_sequence: 41201, last_sequence: 57344 },
  },
  version_mismatch: {
    detail: 'The record is at version 4.',
    source: { header: 'If-Match' },
    meta: { current_version: 4 },
  },
  payload_too_large: {
    detail: 'The body is over 1048576 bytes.',
    meta: { limit_bytes: 1_048_576 },
  },
  uri_too_long: {
    detail: 'The URL is over 8192 bytes.',
    meta: { limit_bytes: 8192 },
  },
  invalid_body: {
    detail: 'person has no attribute "job_titel". Did you mean "job_title"?',
    source: { pointer: '/data/attributes/job_titel' },
    meta: { allowed: ['name', 'email_addresses', 'job_title', 'company_id'] },
  },
}
