import { DatabaseError } from 'pg'
import { expect, test } from 'vitest'
import { DatabaseOverloaded, DatabaseUnavailable, UniqueValueTaken } from './errors.ts'
import { hasMetOthers, ofCommit, ofPostgres } from './postgres-errors.ts'

const said = (message: string, fields: Partial<DatabaseError>) =>
  Object.assign(new DatabaseError(message, 0, 'error'), fields)

test('a database that takes no connections is away, whatever the language in which it says so', () => {
  for (const message of [
    'database "kontor" is not currently accepting connections',
    'Datenbank »kontor« akzeptiert gegenwärtig keine Verbindungen',
  ]) {
    const told = ofPostgres(said(message, { code: '55000', file: 'postinit.c', routine: 'CheckMyDatabase' }))
    expect(told).toBeInstanceOf(DatabaseUnavailable)
    expect(told).toMatchObject({ away: 'unreachable' })
  }
})

test('what else is not in the state that a statement needs is a mistake, and stays as it is', () => {
  for (const [message, file] of [
    ['currval of sequence "s" is not yet defined in this session', 'sequence.c'],
    ['materialized view "v" has not been populated', 'execMain.c'],
  ] as const) {
    const error = said(message, { code: '55000', file })
    expect(ofPostgres(error)).toBe(error)
  }
})

test('a connection that was not made in time is away; one that was not free in time is an overload', () => {
  expect(ofPostgres(new Error('Connection terminated due to connection timeout'))).toMatchObject({
    away: 'unreachable',
  })
  expect(ofPostgres(new Error('timeout exceeded when trying to connect'))).toBeInstanceOf(DatabaseOverloaded)
})

test('a unique value is taken on a plain table, in a partition and in a shard', () => {
  for (const constraint of ['unique_key_pkey', 'unique_key_pkey_102500'])
    expect(ofPostgres(said('duplicate key value', { code: '23505', constraint }))).toBeInstanceOf(UniqueValueTaken)
  const other = said('duplicate key value', { code: '23505', constraint: 'suppression_address_102500' })
  expect(ofPostgres(other)).toBe(other)
})

test('a unique value that is taken on another node is known by the text, where the code is missing too', () => {
  const message = 'duplicate key value violates unique constraint "unique_key_pkey_102384"'
  expect(ofPostgres(said(message, { code: '23505', file: 'remote_commands.c' }))).toBeInstanceOf(UniqueValueTaken)
  expect(ofPostgres(said(message, { code: 'XX000', file: 'multi_copy.c' }))).toBeInstanceOf(UniqueValueTaken)
  const other = said('duplicate key value violates unique constraint "record_pkey_102008"', { code: '23505' })
  expect(ofPostgres(other)).toBe(other)
  const broken = said(message, { code: 'XX000', file: 'nbtinsert.c' })
  expect(ofPostgres(broken)).toBe(broken)
})

test('a node that is lost while rows are copied to it is away', () => {
  const error = said('failed to complete COPY on 10.0.0.2:5432', { code: '58030', file: 'multi_copy.c' })
  expect(ofPostgres(error)).toMatchObject({ away: 'node_lost' })
  expect(ofPostgres(said('could not read block 0', { code: '58030' }))).toMatchObject({ away: 'disk_failed' })
})

test('a database that does not reach one of its nodes is away for the workspaces of that node', () => {
  const error = said('connection to the remote node postgres@10.0.0.2:5432 failed', { code: '08006' })
  expect(ofPostgres(error)).toMatchObject({ away: 'node_lost' })
  const broken = Object.assign(new Error('the connection broke'), { code: '08006' })
  expect(ofPostgres(broken)).toMatchObject({ away: 'lost' })
})

test('a node that is lost during a commit leaves its outcome unknown; a commit that is refused was not made', () => {
  for (const message of [
    'could not commit transaction for shard 102611 on at least one active node',
    'server closed the connection unexpectedly',
  ])
    expect(ofCommit(said(message, { code: 'XX000' }))).toMatchObject({ away: 'unknown' })
  const refused = said('could not serialize access', { code: '40001' })
  expect(ofCommit(refused)).toBe(refused)
})

test('a node that ends its connection is away, not the database; during a commit, the outcome is unknown', () => {
  const message = 'terminating connection due to administrator command'
  const passedOn = said(message, { code: '57P01', severity: 'ERROR', file: 'remote_commands.c' })
  const inCopy = said(message, { code: 'XX000', severity: 'ERROR', file: 'multi_copy.c' })
  for (const error of [passedOn, inCopy]) {
    expect(ofPostgres(error)).toMatchObject({ away: 'node_lost' })
    expect(ofCommit(error)).toMatchObject({ away: 'unknown' })
  }
  expect(ofPostgres(said(message, { code: '57P01', severity: 'FATAL' }))).toMatchObject({ away: 'lost' })
})

test('a deadlock between rows that are copied to a node is known by its text, and only there', () => {
  const text = 'deadlock detected'
  expect(hasMetOthers(said(text, { code: '40P01' }))).toBe(true)
  expect(hasMetOthers(said(text, { code: 'XX000', file: 'multi_copy.c' }))).toBe(true)
  expect(hasMetOthers(said(text, { code: 'XX000', file: 'other.c' }))).toBe(false)
  expect(hasMetOthers(said('value too long', { code: 'XX000', file: 'multi_copy.c' }))).toBe(false)
})
