import { EventEmitter } from 'node:events'
import { Client, type PoolClient } from 'pg'
import { expect, test } from 'vitest'
import { gather, socketOf } from './postgres-shared.ts'

test('pg still has the socket that statements are gathered in', () => {
  expect(socketOf(new Client())).toBeDefined()
})

test.for([{}, { connection: undefined }, { connection: {} }, { connection: { stream: new EventEmitter() } }])(
  'without it every statement leaves by itself: %j',
  (client) => {
    expect(socketOf(client)).toBeUndefined()
    expect(() => gather(client as PoolClient)).not.toThrow()
  },
)
