/**
 * Exports of many persons: a bundle of the workspace, and each format. Records per second, the memory of the server
 * and the wait of another client meanwhile. `node bench/src/exports.ts [THOUSANDS] [sqlite|postgres]`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { inInstallation, measured, waitAt, type Installation } from './installation.ts'

const thousands = Number(process.argv[2] ?? 50)

type Export = {
  readonly data: {
    readonly id: string
    readonly attributes: {
      readonly state: string
      readonly rows_done: number
      readonly size_bytes: number
      readonly started_at: string
      readonly ended_at: string | null
    }
  }
}

const personOf = (number: number) => ({
  type: 'person',
  attributes: {
    name: { first_name: `Ada ${number}`, last_name: 'Lovelace' },
    email_addresses: { items: [`ada.${number}@people.example`] },
    job_title: 'Countess of analytical engines',
  },
})

/** Exports, and prints the speed, the most that the server held and what another client waited. */
async function print(installation: Installation, name: string, body: object): Promise<void> {
  const { call } = installation
  let found = await call<Export>('POST', 'exports', body)
  const meanwhile = await measured(installation, async () => {
    while (found.data.attributes.ended_at === null) {
      await sleep(20)
      found = await call<Export>('GET', `exports/${found.data.id}`)
    }
  })
  const { state, rows_done: rows, size_bytes: bytes, started_at, ended_at } = found.data.attributes
  if (state !== 'completed') throw new Error(`The export is ${state}`)
  const seconds = (Date.parse(String(ended_at)) - Date.parse(started_at)) / 1000
  console.log(
    `${name}: ${Math.round((thousands * 1000) / seconds)} records/s (${Math.round(rows / seconds)} rows/s), ` +
      `${bytes} bytes; others wait ${waitAt(meanwhile, 0.5)} ms, p99 ${waitAt(meanwhile, 0.99)} ms; ` +
      `at most ${Math.round(meanwhile.mostMib)} MiB`,
  )
}

await inInstallation(async (installation) => {
  for (let done = 0; done < thousands; done++) {
    const data = Array.from({ length: 1000 }, (_, index) => personOf(done * 1000 + index))
    await installation.call('POST', 'objects/person/records/bulk', { data })
  }
  // The server has numbered, followed and indexed them.
  await sleep(3000)
  await print(installation, 'workspace', { kind: 'workspace' })
  for (const format of ['csv', 'ndjson', 'xlsx', 'parquet'])
    await print(installation, format, { kind: 'records', object: 'person', format })
})
