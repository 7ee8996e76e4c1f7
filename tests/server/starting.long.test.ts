import { afterAll, expect, inject, test } from 'vitest'
import { emptyDatabase } from '../harness/database.ts'
import { startServer } from '../harness/server-process.ts'
import { freePort } from '../harness/free-port.ts'
import { call, expectAnswersWhileStarting } from './early-calls.ts'

const scratch = await emptyDatabase()
afterAll(() => scratch.remove())

test(
  'a client that connects while the server starts is answered at once, from the first connection on',
  { timeout: 90_000 },
  async () => {
    await expectAnswersWhileStarting(scratch.url)
  },
)

test(
  'a start that fails ends the process with a status and a sentence, whatever has begun by then',
  { timeout: 60_000 },
  async () => {
    const port = await freePort()
    const wrong =
      inject('database') === 'postgres'
        ? new URL(scratch.url).href.replace(/\/[^/?]+\?/, '/no_such_database?')
        : 'sqlite:/dev/null/kontor.db'
    await expect(startServer(wrong, { PORT: String(port) })).rejects.toThrow(
      /the server ended with 1: \S.*(no_such_database|\/dev\/null)/,
    )
    expect(await call(port, '/healthz', {})).toBeUndefined()
  },
)
