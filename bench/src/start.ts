import { setTimeout as sleep } from 'node:timers/promises'
import type { Fact } from './facts.ts'
import type { Options } from './options.ts'
import { startKontor } from './processes.ts'
import { median } from './rates.ts'

const startMsMax = 1000
const idleMiBMax = 150

/** From the start of the process to the first answered /readyz, and what it holds some seconds later. */
export async function measureStart(
  databaseUrl: string,
  dataDir: string,
  options: Options,
  say: (text: string) => void,
): Promise<Fact[]> {
  const starts: number[] = []
  const sizes: number[] = []
  for (let round = 1; round <= options.rounds; round++) {
    const server = await startKontor(databaseUrl, dataDir, {})
    const ready = await fetch(`http://127.0.0.1:${server.port}/readyz`)
    if (ready.status !== 200) throw new Error(`/readyz answers ${ready.status}`)
    await sleep(options.isQuick ? 500 : 3000)
    starts.push(server.startedMs)
    const bytes = server.residentBytes()
    if (bytes !== undefined) sizes.push(bytes / 2 ** 20)
    await server.stop()
    say(`start ${round} of ${options.rounds}: ${Math.round(server.startedMs)} ms, ${sizes.at(-1)?.toFixed(0)} MiB`)
  }
  const startMs = median(starts)
  const start = {
    what: `cold start < ${startMsMax} ms`,
    value: `${startMs.toFixed(0)} ms`,
    isMet: startMs < startMsMax,
  }
  if (sizes.length === 0) return [start]
  const idleMiB = Math.max(...sizes)
  return [start, { what: `idle < ${idleMiBMax} MiB`, value: `${idleMiB.toFixed(0)} MiB`, isMet: idleMiB < idleMiBMax }]
}
