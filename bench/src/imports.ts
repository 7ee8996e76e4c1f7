/**
 * An import of 50,000 persons from a CSV file, beside the same rows in bulk requests: rows per second of both, the
 * memory of the server and the wait of another client meanwhile. `node bench/src/imports.ts [ROWS] [sqlite|postgres]`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { inInstallation, measured, waitAt, type Installation } from './installation.ts'

const rowsMax = Number(process.argv[2] ?? 50_000)
const portion = 500

type Answer = { readonly data: Readonly<Record<string, unknown>> }

const address = (row: number, group: string): string => `${group}-${row}@example.com`

/** Prints the rows per second of some work, and what another client waited and the server held meanwhile. */
async function print(installation: Installation, name: string, work: () => Promise<unknown>): Promise<number> {
  const found = await measured(installation, work)
  const perSecond = Math.round(rowsMax / found.seconds)
  const [median, p99] = [waitAt(found, 0.5), waitAt(found, 0.99)]
  console.log(
    `${name}: ${perSecond} rows/s; others wait ${median} ms, p99 ${p99} ms; at most ${Math.round(found.mostMib)} MiB`,
  )
  return perSecond
}

async function sendBulk({ call }: Installation): Promise<void> {
  for (let from = 0; from < rowsMax; from += portion) {
    const data = Array.from({ length: Math.min(portion, rowsMax - from) }, (_, at) => ({
      type: 'person',
      attributes: {
        name: { first_name: 'Ada', last_name: `Bulk ${from + at}` },
        email_addresses: { items: [address(from + at, 'bulk')] },
        job_title: 'Analyst',
      },
    }))
    await call('POST', 'objects/person/records/bulk?atomic=false', { data, match_on: 'email_addresses' })
  }
}

const mapping = Object.entries({
  First: 'name.first_name',
  Last: 'name.last_name',
  Mail: 'email_addresses',
  Job: 'job_title',
}).map(([source, field]) => ({ source, field }))

async function importFile({ call }: Installation): Promise<void> {
  const lines = Array.from({ length: rowsMax }, (_, row) => `Ada,File ${row},${address(row, 'file')},Analyst`)
  const { data } = await call<Answer>('POST', 'imports/uploads', { name: 'people.csv' })
  await fetch(String(data['signedUrl']), { method: 'PUT', body: `First,Last,Mail,Job\n${lines.join('\n')}\n` })
  const request = { object: 'person', upload_id: data['upload_id'], mapping, match_on: 'email_addresses' }
  const { id } = (await call<Answer>('POST', 'imports', request)).data
  for (;;) {
    const { attributes } = (await call<Answer>('GET', `imports/${String(id)}`)).data
    const { ended_at, created } = attributes as { readonly ended_at: string | null; readonly created: number }
    if (ended_at !== null && created !== rowsMax) throw new Error(`${created} of ${rowsMax} rows were created`)
    if (ended_at !== null) return
    await sleep(50)
  }
}

await inInstallation(async (installation) => {
  const baseline = await print(installation, 'bulk requests', () => sendBulk(installation))
  const imported = await print(installation, 'import', () => importFile(installation))
  console.log(`ratio: ${(imported / baseline).toFixed(2)}`)
})
