import { z } from 'zod'
const root = '/tmp/wt-jobs/packages/server/src'
const { openDatabase } = await import(root + '/db/open.ts')
const { migrate } = await import(root + '/db/migrate.ts')
const { Runner } = await import(root + '/engine/runner.ts')
const { enqueue } = await import(root + '/engine/store.ts')
const url = process.argv[2]!, jobs = Number(process.argv[3] ?? 10000), runners = Number(process.argv[4] ?? 1), slots = Number(process.argv[5] ?? 4), workspaces = Number(process.argv[6] ?? 1)
const database = openDatabase({ url, statementTimeoutMs: 30000, connectionsMax: 10, readersMax: 1 })
await migrate(database)
const ws = (n: number) => `01900000-0000-7000-8000-${String(n).padStart(12,'0')}`
let runs = 0
const kind = { name: 'many', payload: z.object({ number: z.int() }), async run() { runs++; return { state: 'done' } } }
const ms = () => performance.now()
let t = ms()
for (let n = 0; n < jobs; n += 500) await database.write(async (tx: any) => { const all = []; for (let i = n; i < n + 500; i++) all.push(enqueue(tx, { workspaceId: ws(i % workspaces), kind, payload: { number: i }, now: Date.now() })); await Promise.all(all) })
console.log('enqueue/s', Math.round(jobs / ((ms() - t) / 1000)))
const log = { warn: console.error, error: console.error }
const all = Array.from({ length: runners }, () => new Runner({ database, clock: { now: () => Date.now() }, logger: log, kinds: [kind], recurring: [], slots }))
t = ms()
await Promise.all(all.map((r: any) => r.start()))
while (true) {
  const rows = await database.reader.query(({ knex }: any) => knex('job').select('id').limit(1))
  if (rows.length === 0) break
  await new Promise((r) => setTimeout(r, 20))
}
console.log('jobs/s', Math.round(jobs / ((ms() - t) / 1000)), 'runs', runs)
await Promise.all(all.map((r: any) => r.stop(1000)))
await database.close()
