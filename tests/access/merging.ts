import type { TestApp } from '../harness/app.ts'
import { share, type Level } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import type { Caller } from '../harness/people.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'

export type Grants = readonly (readonly [string, Level])[]

/** Short forms for what tests of merging records with grants do again and again. */
export function mergingOf(app: Pick<TestApp, 'api'>) {
  const { api } = app
  async function make(object: string, as: Caller, grants: Grants): Promise<string> {
    const { id } = await recordsOf(app, as).create(object, {})
    for (const [grantee, level] of grants) await share(api.post, `${object}/records/${id}`, grantee, level, as)
    return id
  }
  const accessOf = async (object: string, id: string): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await api.get(`${recordsPath(object)}/${id}/access`)).body.data.map(({ attributes }: Json) => [
        attributes.grantee_id ?? 'workspace',
        attributes.access_level,
      ]),
    )
  const merge = (object: string, target: string, sources: readonly string[], as: Caller, dryRun = false) =>
    recordsOf(app, as).merge(object, target, sources, { ...(dryRun && { query: { dry_run: true } }) })
  return { make, accessOf, merge }
}
