import { z } from 'zod'

/** When a caller may send the same request again: `never` (mend it first) or `later` (as `Retry-After` says). */
export type Retry = 'never' | 'later'

type ErrorDefinition = { readonly status: number; readonly title: string; readonly retry: Retry; readonly fix: string }

/** Every error that Kontor answers with; closed, and the only place where a code meets its HTTP status. */
export const errorDefinitions = {
  malformed_json: {
    status: 400,
    title: 'Malformed JSON',
    retry: 'never',
    fix: 'Send a body that is valid JSON in UTF-8.',
  },
  unknown_parameter: {
    status: 400,
    title: 'Unknown query parameter',
    retry: 'never',
    fix: 'Use one of the parameters in `meta.allowed`.',
  },
  invalid_parameter: {
    status: 400,
    title: 'Invalid parameter',
    retry: 'never',
    fix: 'Correct the parameter or header that `source` names.',
  },
  unknown_field: {
    status: 400,
    title: 'Unknown field',
    retry: 'never',
    fix: 'Use one of the fields in `meta.allowed`.',
  },
  unknown_operator: {
    status: 400,
    title: 'Unknown operator',
    retry: 'never',
    fix: 'Use one of the operators in `meta.allowed`.',
  },
  unknown_value: {
    status: 400,
    title: 'Unknown value',
    retry: 'never',
    fix: 'Use one of the values in `meta.allowed`.',
  },
  cursor_mismatch: {
    status: 400,
    title: 'Cursor does not fit the query',
    retry: 'never',
    fix: 'Follow `links.next` and `links.prev` unchanged, or start again without a cursor.',
  },
  unauthenticated: {
    status: 401,
    title: 'Not authenticated',
    retry: 'never',
    fix: 'Send `Authorization: api-key <API_KEY>`, `X-API-Key: <API_KEY>` or `Authorization: Bearer <ACCESS_TOKEN>`.',
  },
  key_invalid: {
    status: 401,
    title: 'Invalid API key',
    retry: 'never',
    fix: 'Check that the key is complete and was not revoked.',
  },
  key_expired: {
    status: 401,
    title: 'Expired API key',
    retry: 'never',
    fix: 'Create a new key. Rotate a key before it expires to avoid this.',
  },
  user_token_required: {
    status: 401,
    title: 'User access token required',
    retry: 'never',
    fix: 'Call this endpoint with a user access token; API keys are not accepted here.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Insufficient scope',
    retry: 'never',
    fix: 'Use a credential with the scope in `meta.required`.',
  },
  forbidden: { status: 403, title: 'Forbidden', retry: 'never', fix: 'Request the role or access from an admin.' },
  not_found: {
    status: 404,
    title: 'Not found',
    retry: 'never',
    fix: 'Check the path and the identifiers in it. If `meta.merged_into` is present, use that record.',
  },
  related_not_found: {
    status: 404,
    title: 'Related record not found',
    retry: 'never',
    fix: 'Check the identifiers in `meta.ids`.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    retry: 'never',
    fix: 'Use one of the methods in the header `Allow`.',
  },
  unique_violation: {
    status: 409,
    title: 'Value already in use',
    retry: 'never',
    fix:
      'Change the value, or update the record in `meta.existing_id`. To let the values of a field repeat, an admin ' +
      'sets its `xSvcUnique` to false in the schema.',
  },
  match_ambiguous: {
    status: 409,
    title: 'Several records match',
    retry: 'never',
    fix: 'Merge the records in `meta.candidates`, or match on another field.',
  },
  last_admin: { status: 409, title: 'Last admin', retry: 'never', fix: 'Make another member an admin first.' },
  schema_modification_in_progress: {
    status: 409,
    title: 'Schema change in progress',
    retry: 'later',
    fix: 'Wait for the running task, then try again.',
  },
  list_broken: {
    status: 409,
    title: 'Broken list query',
    retry: 'never',
    fix: 'Change the query of the list: it uses a field or an object that no longer exists.',
  },
  campaign_state: {
    status: 409,
    title: 'Campaign state conflict',
    retry: 'never',
    fix: 'Check the `state` of the campaign. A draft must be started first.',
  },
  import_state: {
    status: 409,
    title: 'Import state conflict',
    retry: 'never',
    fix: 'Check `meta.state`, the state of the import.',
  },
  run_state: {
    status: 409,
    title: 'Run state conflict',
    retry: 'never',
    fix: 'Check `meta.status`, the status of the run.',
  },
  upload_ended: {
    status: 409,
    title: 'Upload already attached',
    retry: 'never',
    fix: 'Request another upload: an attached file cannot be changed.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Request still running',
    retry: 'later',
    fix: 'Send the same request again after `Retry-After` seconds.',
  },
  cursor_expired: { status: 410, title: 'Cursor expired', retry: 'never', fix: 'Start again without a cursor.' },
  url_expired: { status: 410, title: 'URL expired', retry: 'never', fix: 'Request another URL.' },
  events_expired: {
    status: 410,
    title: 'Events expired',
    retry: 'never',
    fix: 'Read the data again, then follow the events after `meta.last_sequence`.',
  },
  version_mismatch: {
    status: 412,
    title: 'Version mismatch',
    retry: 'never',
    fix: 'Read the resource again, and repeat the change with its new `ETag`.',
  },
  payload_too_large: {
    status: 413,
    title: 'Body too large',
    retry: 'never',
    fix: 'Send at most `meta.limit_bytes` bytes.',
  },
  uri_too_long: {
    status: 414,
    title: 'URL too long',
    retry: 'never',
    fix: 'Send a URL of at most `meta.limit_bytes` bytes.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    retry: 'never',
    fix: 'Send `Content-Type: application/json`.',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'Range not satisfiable',
    retry: 'never',
    fix: 'Request bytes within the file; `Content-Range` contains its size.',
  },
  invalid_body: {
    status: 422,
    title: 'Invalid body',
    retry: 'never',
    fix: 'Correct the value that `source.pointer` names. For an unknown name, `meta.allowed` lists those that exist.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    retry: 'never',
    fix: 'Use a new key for a different request.',
  },
  unsupported_sql: {
    status: 422,
    title: 'Unsupported SQL',
    retry: 'never',
    fix: 'Use only the SQL that `detail` and the page of the operation describe. `meta.character` is the place.',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    retry: 'never',
    fix: 'Send fewer or shorter headers: at most 16 KiB in total.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    retry: 'later',
    fix: 'Wait `Retry-After` seconds, and send fewer requests.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    retry: 'later',
    fix: 'Try again. If the error persists, report the request id.',
  },
  starting: { status: 503, title: 'Starting', retry: 'later', fix: 'Wait `Retry-After` seconds.' },
  unavailable: {
    status: 503,
    title: 'Database unavailable',
    retry: 'later',
    fix: 'Wait `Retry-After` seconds; send a change again under the same `Idempotency-Key`.',
  },
  overloaded: { status: 503, title: 'Overloaded', retry: 'later', fix: 'Wait `Retry-After` seconds.' },
} as const satisfies Record<string, ErrorDefinition>

export type ErrorCode = keyof typeof errorDefinitions

export const errorCodes = Object.keys(errorDefinitions) as [ErrorCode, ...ErrorCode[]]

export const errorSource = z
  .object({
    pointer: z
      .string()
      .optional()
      .meta({ description: 'JSON Pointer from the root of the body, for example `/data/attributes/name`.' }),
    parameter: z
      .string()
      .optional()
      .meta({ description: 'Query or path parameter, spelled as sent, for example `page[limit]`.' }),
    header: z.string().optional().meta({ description: 'Name of the request header.' }),
  })
  .meta({ id: 'ErrorSource', description: 'The part of the request that caused the error.' })

export const errorObject = z
  .object({
    id: z.string().meta({ description: 'Request id, also sent as `X-Request-Id`.' }),
    status: z.string().meta({ description: 'HTTP status as a string.', example: '422' }),
    code: z
      .enum(errorCodes)
      .meta({ id: 'ErrorCode', description: 'Closed set of error codes; see the guide on errors.' }),
    title: z.string(),
    detail: z.string(),
    source: errorSource.optional(),
    meta: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Facts that help to fix the request, for example `allowed`.' }),
  })
  .meta({ id: 'ApiError' })

/** The one error body, for every endpoint and status. */
export const errorBody = z.object({ errors: z.array(errorObject).min(1) }).meta({ id: 'ErrorBody' })

export type ErrorObject = z.infer<typeof errorObject>
export type ErrorBody = z.infer<typeof errorBody>
