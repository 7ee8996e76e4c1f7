/**
 * The server that one writes by hand without Kontor: Express as it comes, prepared statements, one table with a column
 * for each field.
 */
import express from 'express'
import { rowOf, shown, shownCompany, type PersonInput } from './answers.ts'
import { postgresStore } from './store-postgres.ts'
import { sqliteStore } from './store-sqlite.ts'
import type { PersonRow, Where } from './store.ts'

/** Sent as JSON in the first argument. */
export type PlainOptions = { readonly port: number; readonly databaseUrl: string; readonly isTuned: boolean }

const { port, databaseUrl, isTuned } = JSON.parse(process.argv[2] as string) as PlainOptions
const store = databaseUrl.startsWith('sqlite:')
  ? sqliteStore(databaseUrl.slice('sqlite:'.length), isTuned)
  : await postgresStore(databaseUrl, isTuned)

const app = express()
app.use(express.json({ limit: '10mb' }))

app.get('/persons', async ({ query }, response) => {
  const [limit, offset] = [Number(query['limit'] ?? 50), Number(query['offset'] ?? 0)]
  const { job_title: jobTitle, name_has: nameHas } = query
  const where: Where =
    typeof jobTitle === 'string' ? { jobTitle } : typeof nameHas === 'string' ? { nameHas } : undefined
  const { rows, total } = await store.list(where, limit, offset)
  response.json({ data: rows.map(shown), meta: { total, offset, limit } })
})

app.get('/persons/:id', async ({ params, query }, response) => {
  if (query['include'] === 'company') {
    const found = await store.getWithCompany(params.id)
    if (found === undefined) response.status(404).json({ error: 'not found' })
    else response.json({ data: shown(found[0]), included: [shownCompany(found[1])] })
    return
  }
  const row = await store.get(params.id)
  if (row === undefined) response.status(404).json({ error: 'not found' })
  else response.json({ data: shown(row) })
})

app.patch('/persons/:id', async ({ params, body }, response) => {
  const changes = body as Partial<PersonRow>
  const row = await store.update(params.id, { ...changes, updated_at: new Date() })
  if (row === undefined) response.status(404).json({ error: 'not found' })
  else response.json({ data: shown(row) })
})

app.post('/persons', async ({ body }, response) => {
  const row = rowOf(body as PersonInput, new Date())
  await store.create([row])
  response.status(201).json({ data: shown(row) })
})

app.post('/persons/bulk', async ({ body }, response) => {
  const now = new Date()
  const rows = (body as readonly PersonInput[]).map((input) => rowOf(input, now))
  await store.create(rows)
  response.status(201).json({ data: rows.map(shown) })
})

const server = app.listen(port, '127.0.0.1')
server.keepAliveTimeout = 65_000
process.once('SIGTERM', () => {
  server.closeAllConnections()
  server.close(() => void store.close().then(() => process.exit(0)))
})
