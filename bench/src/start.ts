import { setTimeout as sleep } from 'node:timers/promises'
import type { Options } from './options.ts'
import { startKontor } from './processes.ts'
import { median } from './rates.ts'

export type StartFacts = { readonly startMs: number; readonly idleBytes: number | undefined }

/** From the start of the process to the first answered /readyz, and what it holds some seconds later. */
export async function measureStart(databaseUrl: string, dataDir: string, options: Options, say: (text: string) => void): Promise<StartFacts> {
  const starts: number[] = []
  const sizes: (number | undefined)[] = []
  for (let round = 1; round <= options.rounds; round++) {
    const server = await startKontor(databaseUrl, dataDir, { profileTo: undefined })
    const ready = await fetch(`http://127.0.0.1:${server.port}/readyz`)
    if (ready.status !== 200) throw new Error(`/readyz answers ${ready.status}`)
    await sleep(options.isQuick ? 500 : 3000)
    starts.push(server.startedMs)
    sizes.push(server.residentBytes())
    await server.stop()
    say(`start ${round} of ${options.rounds}: ${Math.round(starts.at(-1) as number)} ms, ${((sizes.at(-1) ?? 0) / 2 ** 20).toFixed(0)} MiB`)
  }
  const known = sizes.filter((size) => size !== undefined)
  return { startMs: median(starts), idleBytes: known.length === 0 ? undefined : Math.max(...known) }
}
