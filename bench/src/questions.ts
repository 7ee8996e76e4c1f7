/**
 * Measures the most frequent calls of agents, beside the same without Kontor or without the protocol: a grouped sum
 * over 100,000 deals beside hand-written SQL on a plain table, and calls of tools beside the same calls over REST.
 * `node bench/src/questions.ts [THOUSANDS] [sqlite|postgres]`.
 */
import Driver from 'better-sqlite3'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { inInstallation, type Installation } from './installation.ts'

const thousands = Number(process.argv[2] ?? 100)
const rounds = 15
const callsInRound = 200

const stages = ['Lead', 'Won', 'Lost'] as const
const dealOf = (number: number) => ({
  name: `Deal ${number}`,
  stage: stages[number % stages.length] ?? stages[0],
  amount: (number * 37) % 10_000,
})

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

async function timed(work: () => unknown): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const groupedSum = 'select stage, sum(amount) as total from plain_deal group by stage order by stage'

const columns = 'id integer primary key, name text not null, stage text not null, amount double precision not null'

/** A plain table with the same deals, and its grouped sum in SQL. */
async function plainTable(url: string): Promise<{ sum: () => unknown; close: () => unknown }> {
  const rows = Array.from({ length: thousands * 1000 }, (_, number) => ({ id: number, ...dealOf(number) }))
  if (url.startsWith('sqlite:')) {
    const db = new Driver(':memory:')
    db.exec(`create table plain_deal (${columns})`)
    const insert = db.prepare('insert into plain_deal (id, name, stage, amount) values (@id, @name, @stage, @amount)')
    db.transaction(() => rows.forEach((row) => insert.run(row)))()
    const select = db.prepare(groupedSum)
    return { sum: () => select.all(), close: () => db.close() }
  }
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`create table plain_deal (${columns})`)
  await client.query('insert into plain_deal select * from jsonb_populate_recordset(null::plain_deal, $1)', [
    JSON.stringify(rows),
  ])
  await client.query('vacuum (analyze) plain_deal')
  return { sum: () => client.query(groupedSum), close: () => client.end() }
}

/** Measures a grouped sum in turns with the same in SQL on a plain table. */
async function measureSums({ call, databaseUrl }: Installation): Promise<void> {
  const plain = await plainTable(databaseUrl)
  const body = { group_by: [{ field: 'stage' }], measures: [{ function: 'sum', field: 'amount' }] }
  const ask = () => call('POST', 'objects/deal/resources/aggregate', body)
  await ask()
  const found: { ours: number; theirs: number }[] = []
  for (let round = 0; round < rounds; round++) found.push({ ours: await timed(ask), theirs: await timed(plain.sum) })
  await plain.close()
  const [ours, theirs] = [median(found.map((one) => one.ours)), median(found.map((one) => one.theirs))]
  console.log(
    `grouped sum of ${thousands},000 deals: ${ours.toFixed(1)} ms over HTTP, ${theirs.toFixed(1)} ms in SQL on a ` +
      `plain table; ${(theirs / ours).toFixed(2)} of it`,
  )
}

/** Measures the CPU time of the server for calls over REST and by tools, in turns. */
async function measureTools({ call, server, headers }: Installation): Promise<void> {
  const { data } = await call<{ readonly data: readonly { readonly id: string }[] }>(
    'GET',
    'objects/deal/resources?page[limit]=1',
  )
  const id = data[0]?.id
  const tool = async (name: string, input: object): Promise<void> => {
    const response = await fetch(new URL('/mcp', server.baseUrl), {
      method: 'POST',
      headers: { ...headers, Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-11-25' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
    })
    const text = await response.text()
    if (!response.ok || text.includes('"isError":true')) throw new Error(`The tool ${name} failed: ${text}`)
  }
  const pairs: readonly (readonly [string, () => Promise<unknown>, () => Promise<unknown>])[] = [
    ['read', () => call('GET', `objects/deal/resources/${id}`), () => tool('read', { object: 'deal', id })],
    [
      'list of 25',
      () => call('POST', 'objects/deal/resources/query', { page: { limit: 25 } }),
      () => tool('list', { object: 'deal' }),
    ],
    [
      'change',
      () =>
        call('PATCH', `objects/deal/records/${id}`, {
          data: { type: 'deal', attributes: { amount: Math.floor(Math.random() * 1e6) } },
        }),
      () =>
        tool('update', { object: 'deal', records: [{ id, attributes: { amount: Math.floor(Math.random() * 1e6) } }] }),
    ],
  ]
  const cpuOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = server.cpuMs() ?? Number.NaN
    for (let count = 0; count < callsInRound; count++) await work()
    return ((server.cpuMs() ?? Number.NaN) - before) / callsInRound
  }
  for (const [name, rest, mcp] of pairs) {
    await Promise.all([cpuOf(rest), cpuOf(mcp)])
    const found: { rest: number; mcp: number }[] = []
    for (let round = 0; round < 5; round++) found.push({ rest: await cpuOf(rest), mcp: await cpuOf(mcp) })
    const [ofRest, ofMcp] = [median(found.map((one) => one.rest)), median(found.map((one) => one.mcp))]
    console.log(
      `${name}: ${ofRest.toFixed(2)} ms of CPU over REST, ${ofMcp.toFixed(2)} ms over MCP; ` +
        `${(ofMcp - ofRest).toFixed(2)} ms more`,
    )
  }
}

await inInstallation(async (installation) => {
  for (let done = 0; done < thousands; done++) {
    const data = Array.from({ length: 1000 }, (_, index) => ({
      type: 'deal',
      attributes: dealOf(done * 1000 + index),
    }))
    await installation.call('POST', 'objects/deal/records/bulk', { data })
  }
  // The server has numbered, followed and indexed them.
  await sleep(5000)
  await measureSums(installation)
  await measureTools(installation)
})
