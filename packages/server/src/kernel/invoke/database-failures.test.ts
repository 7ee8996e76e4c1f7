import { DatabaseError } from 'pg'
import { expect, test } from 'vitest'
import { toFailure } from './database-failures.ts'
import type { Failure } from '../errors.ts'
import { ofCommit, ofPostgres } from '../../db/postgres-errors.ts'

const said = (code: string): DatabaseError => Object.assign(new DatabaseError(`said ${code}`, 0, 'error'), { code })

const answerTo = (error: unknown) => {
  const { code, status, retryAfterSeconds = 0 } = toFailure(error) as Failure
  return [code, status, retryAfterSeconds > 0]
}

const away: readonly (readonly [code: string, what: string])[] = [
  ['08006', 'connection_failure'],
  ['25006', 'read_only_sql_transaction'],
  ['28000', 'invalid_authorization_specification'],
  ['28P01', 'invalid_password'],
  ['3D000', 'invalid_catalog_name'],
  ['53000', 'insufficient_resources'],
  ['53100', 'disk_full'],
  ['53200', 'out_of_memory'],
  ['53300', 'too_many_connections'],
  ['57P01', 'admin_shutdown'],
  ['57P02', 'crash_shutdown'],
  ['57P03', 'cannot_connect_now'],
  ['57P04', 'database_dropped'],
  ['57P05', 'idle_session_timeout'],
  ['58000', 'system_error'],
  ['58030', 'io_error'],
  ['58P01', 'undefined_file'],
]

test.each(away)('%s, %s: the database is away', (code) => {
  expect(answerTo(ofPostgres(said(code)))).toEqual(['unavailable', 503, true])
  expect(answerTo(ofCommit(said(code)))).toEqual(['unavailable', 503, true])
})

test.each([
  ['53400', 'configuration_limit_exceeded'],
  ['57014', 'query_canceled'],
])('%s, %s: the query was too much', (code) =>
  expect(answerTo(ofPostgres(said(code)))).toEqual(['overloaded', 503, true]),
)

test.each([
  ['42601', 'syntax_error'],
  ['42P01', 'undefined_table'],
  ['22P02', 'invalid_text_representation'],
  ['23505', 'unique_violation'],
  ['42501', 'insufficient_privilege'],
  ['XX001', 'data_corrupted'],
])('%s, %s: a mistake of ours or of the set-up stays one', (code) => {
  const error = said(code)
  expect(ofPostgres(error)).toBe(error)
})
