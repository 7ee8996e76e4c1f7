import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** Both sides of a connection. */
type Pair = { readonly client: Socket; readonly database: Socket; isSilent: boolean }

/** The keepalives of a session of Postgres find after this time that a client is gone whose end was lost. */
const noticedAfterMs = 15_000

/** The network between servers and a Postgres of the test: a proxy on TCP, which can fail as networks do. */
export async function databaseProxy(url: string) {
  const target = join(new URL(url).searchParams.get('host') ?? '', '.s.PGSQL.5432')
  const pairs = new Set<Pair>()
  let opened = 0
  let isCut = false
  let isStalled = false
  let delayMs = 0

  /** Hands over one chunk after another, each after the delay of that moment. */
  const pass = (pair: Pair, from: Socket, to: Socket): void => {
    let last = Promise.resolve()
    const handOver = async (before: Promise<void>, chunk: Buffer): Promise<void> => {
      await before
      if (delayMs > 0) await sleep(delayMs)
      if (!to.destroyed && !pair.isSilent) to.write(chunk)
    }
    from.on('data', (chunk: Buffer) => {
      if (!pair.isSilent) last = handOver(last, chunk)
    })
    from.on('error', () => undefined)
    from.on('close', () => {
      if (to.destroyed) pairs.delete(pair)
      if (pair.isSilent) setTimeout(() => to.destroy(), noticedAfterMs).unref()
      else void last.then(() => to.destroy())
    })
    if (isStalled) from.pause()
  }

  const server = createServer((client) => {
    if (isCut) {
      client.destroy()
      return
    }
    const pair = { client, database: connect(target), isSilent: false }
    pairs.add(pair)
    opened++
    pass(pair, client, pair.database)
    pass(pair, pair.database, client)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const { client, database } of pairs) for (const socket of [client, database]) socket.destroy()
    server.close()
  })

  const through = new URL(url)
  through.searchParams.delete('host')
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const reset = (): number => {
    const { size } = pairs
    for (const { client, database } of pairs) {
      client.resetAndDestroy()
      database.destroy()
    }
    return size
  }
  return {
    url: through.href,
    /** The number of connections that were made so far. */
    opened: (): number => opened,
    /** Ends all connections by a reset, and returns their number. */
    reset,
    /** Ends all connections, and refuses others until `open`. */
    cut: (): void => {
      isCut = true
      reset()
    },
    /** Keeps all bytes back until `open`; then they arrive. */
    stall: (): void => {
      isStalled = true
      for (const { client, database } of pairs) for (const socket of [client, database]) socket.pause()
    },
    /** Loses all bytes of the connections that exist, and their ends, as a router does that has forgotten them. */
    silence: (): number => {
      for (const pair of pairs) pair.isSilent = true
      return pairs.size
    },
    /** Delays each chunk until `open`. */
    slow: (ms: number): void => void (delayMs = ms),
    open: (): void => {
      isCut = false
      isStalled = false
      delayMs = 0
      for (const { client, database } of pairs) for (const socket of [client, database]) socket.resume()
    },
  }
}

export type DatabaseProxy = Awaited<ReturnType<typeof databaseProxy>>
