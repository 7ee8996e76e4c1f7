import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, inject, test } from 'vitest'
import { atEnd } from '../harness/at-end.ts'
import { emptyDatabase } from '../harness/database.ts'
import { startServer } from '../harness/server-process.ts'

/** A pooler that drops the options of a connection, as those do that give each transaction another session. */
async function droppingPooler(url: string): Promise<string> {
  const target = join(new URL(url).searchParams.get('host') ?? '', '.s.PGSQL.5432')
  const server = createServer((socket) => {
    const behind = connect(target)
    socket.once('data', (chunk: Buffer) => {
      const members = chunk.subarray(8).toString('latin1').split('\0')
      const at = members.indexOf('options')
      const kept = Buffer.from((at < 0 ? members : members.toSpliced(at, 2)).join('\0'), 'latin1')
      const head = Buffer.alloc(8)
      head.writeInt32BE(kept.length + 8, 0)
      chunk.copy(head, 4, 4, 8)
      behind.write(Buffer.concat([head, kept]))
      socket.pipe(behind)
    })
    behind.pipe(socket)
    for (const one of [socket, behind]) one.on('error', () => undefined)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  atEnd(() => server.close())
  const through = new URL(url)
  through.searchParams.delete('host')
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return through.href
}

describe.runIf(inject('database') === 'postgres')('a start on Postgres ends in one sentence', () => {
  test('behind a pooler that does not keep sessions, and where connections are too few', async () => {
    const { url, remove } = await emptyDatabase()
    await expect(startServer(await droppingPooler(url))).rejects.toThrow(
      /ended with 1: DATABASE_URL leads to a pooler that does not keep the settings of a connection\. .*\n$/,
    )
    const other = { DATABASE_LISTEN_URL: url.replace(/\/[^/?]+\?/, '/postgres?') }
    const pooler = await droppingPooler(url)
    await expect(startServer(pooler, other)).rejects.toThrow(/Run, with the name of the role: alter role kontor set /)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`alter database ${new URL(url).pathname.slice(1)} set statement_timeout = 10000`)
    await expect(startServer(pooler, other)).rejects.toThrow(/do not arrive at DATABASE_LISTEN_URL\. It must lead to /)
    const away = { DATABASE_LISTEN_URL: 'postgres://postgres:hunter2@127.0.0.1:1/postgres' }
    await expect(startServer(pooler, away)).rejects.toThrow(/1: DATABASE_LISTEN_URL accepts no connection \(\w+\)\.\n$/)
    const role = `few_${process.pid}`
    await client.query(`create role ${role} login connection limit 1`)
    const few = new URL(url)
    few.username = role
    await expect(startServer(few.href)).rejects.toThrow(/ended with 1: Postgres has too few free connections: .*\n$/)
    await client.query(`drop role ${role}`)
    await client.end()
    await remove()
  })
})
