import { DatabaseError } from 'pg'
import { expect, test } from 'vitest'
import { DatabaseOverloaded, DatabaseUnavailable } from './errors.ts'
import { ofPostgres } from './postgres-errors.ts'

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
