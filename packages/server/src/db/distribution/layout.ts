import { tables, type TableName } from '../columns.ts'

/**
 * The tables that stay on the coordinator of a distributed Postgres: those that are read before the workspace is known
 * (people, sessions, keys, OAuth), the directory that joins them, and the jobs, which workers claim across workspaces.
 * Every other table is distributed by `workspace_id` (docs/decisions/0340).
 */
export const coordinatorTables: ReadonlySet<string> = new Set<TableName | 'kontor_migration'>([
  'api_key',
  'app_user',
  'invitation',
  'job',
  'kontor_migration',
  'membership',
  'oauth_artifact',
  'oauth_client',
  'oauth_consent',
  'password',
  'passkey',
  'password_link',
  'provider_identity',
  'recovery_code',
  'retired_key',
  'second_factor',
  'session',
  'sign_in_attempt',
  'signing_key',
  'used_challenge',
  'workspace',
])

/** The table with which the others are co-located: a workspace's rows in all of them lie on one node. */
export const leadingTable = 'record'

/** The distributed tables, the leading one first. */
export const distributedTables: readonly string[] = [
  leadingTable,
  ...Object.keys(tables)
    .filter((table) => table !== leadingTable && !coordinatorTables.has(table))
    .toSorted(),
]

/** The functions that queries of distributed tables call, which every node needs. */
export const distributedFunctions = ['kontor_fold(text)', 'kontor_phone(text)'] as const
