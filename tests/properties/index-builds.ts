import type { TestApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'

export const industries = ['Tech', 'Energy', 'Utilities', 'Health Care']
export const company = (number: number) => ({
  name: `Company ${number}`,
  industry: industries[number % 4],
  employee_count: number % 50,
  description: `Number ${number} of many`,
})
export const numbered = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => company(from + index))

/** Asks for lists that could use three indexes of companies. */
export async function askForIndexes(app: TestApp): Promise<void> {
  const { list } = recordsOf(app)
  await list('company', {
    'filter[industry]': 'Tech',
    'sortOrder[column]': 'employee_count',
    'sortOrder[dir]': 'DESC',
  })
  await list('company', { 'filter[description][Contains]': 'of many', 'filter[name]': 'Company 7' })
}

export const explained = async (app: TestApp, query: Record<string, string>): Promise<Json> =>
  (await recordsOf(app, 'admin').list('company', { ...query, explain: true })).body.meta.explain
