import type { TestApp } from '../harness/app.ts'
import type { QueryText } from '../harness/api.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'

/**
 * Makes seven people, of whom one has no job title, and four deals; `names` lists deals and answers with their names.
 */
export async function makePeopleAndDeals(app: TestApp) {
  const records = recordsOf(app)
  const acme = await records.create('company', { name: 'Acme' })
  const rows = {
    Ångström: { labels: { items: ['VIP', 'north'] }, location: 'Uppsala', company_id: acme.id },
    apple: { description: '100% pure_juice', location: { city: 'Cupertino' } },
    Banana: { labels: { items: ['south'] }, linkedin: 'https://example.com/Banana', owner_id: app.userIds.viewer },
    "O'Brien": { description: 'says "hi"; drop table record --' },
    ZOË: {},
    zoe: { labels: { items: ['vip'] } },
  }
  for (const [title, more] of Object.entries(rows)) await records.create('person', { job_title: title, ...more })
  await records.create('person', {})

  const deals = [
    { name: 'One', stage: 'Lead', amount: 100, close_date: '2026-01-15' },
    { name: 'Two', stage: 'Won', amount: 250.5, close_date: '2026-02-01' },
    { name: 'Three', stage: 'Won', amount: -5, close_date: '2026-02-28' },
    { name: 'Four', amount: 0 },
  ]
  for (const deal of deals) await records.create('deal', deal)

  const names = async (query: QueryText): Promise<Json[]> =>
    (await records.list('deal', query)).body.data?.map((one: Json) => one.attributes.name)
  return { acme, rows, names }
}
