import type { IncomingMessage } from 'node:http'
import { startApp } from '../harness/app.ts'
import { openAnswer } from '../harness/open-answer.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'

export const path = resourcesPath('company')

export const size = 2400
/** More than a connection takes before anyone reads from it. */
const bulky = 'x'.repeat(10_000)

/** An app with more companies than fit into one chunk, or into what a connection holds. */
export async function startWithMany() {
  const app = await startApp()
  const records = recordsOf(app)
  const rows = Array.from({ length: size }, (_, index) => ({
    name: `Company ${(index * 7919) % size}`,
    employee_count: index % 3 === 0 ? null : index % 10,
    industry: index % 5 === 0 ? 'Steel' : null,
    description: bulky,
  }))
  for (let start = 0; start < size; start += 600) await records.createMany('company', rows.slice(start, start + 600))
  /** An answer with all of them, of which nothing has been read. */
  const openWhole = (): Promise<IncomingMessage> => openAnswer(app, path, { query: { 'page[limit]': size } })
  return { app, records, openWhole }
}
