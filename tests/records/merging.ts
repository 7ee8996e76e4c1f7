import { expect } from 'vitest'
import type { TestApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'

/** Short forms for what tests of merging do again and again. */
export function mergingOf(app: Pick<TestApp, 'api'>) {
  const records = recordsOf(app)
  const merged = async (object: string, id: string, ...sources: string[]): Promise<void> => {
    const { status, body } = await records.merge(object, id, sources)
    expect([status, body]).toEqual([204, undefined])
  }
  const attributesOf = async (object: string, id: string): Promise<Json> =>
    (await records.get(object, id)).body.data.attributes
  const companyOf = async (id: string): Promise<string | null> => (await attributesOf('person', id)).company_id
  return { merged, attributesOf, companyOf }
}
