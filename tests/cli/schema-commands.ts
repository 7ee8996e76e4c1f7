import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { TestApp } from '../harness/app.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { kontor, type Ended } from './kontor.ts'

/** `kontor schema` on the workspace of an app, and the files in its folder. */
export async function schemaCommands({ baseUrl, credentials }: Pick<TestApp, 'baseUrl' | 'credentials'>) {
  const dir = await scratchFolder()
  const env = { KONTOR_BASE_URL: baseUrl, KONTOR_API_KEY: credentials.keys.adminKey!, KONTOR_WORKSPACE: 'acme' }
  const schema = (verb: string, ...args: string[]): Promise<Ended> =>
    kontor(['schema', verb, '--dir', dir, ...args], env)
  const file = (object: string): string => join(dir, 'objects', `${object}.yaml`)
  const write = (object: string, text: string): Promise<void> => writeFile(file(object), text)
  /** Writes a file of an object, with another text in one place. */
  const edit = async (object: string, before: string, after: string): Promise<void> => {
    const text = await readFile(file(object), 'utf8')
    expect(text).toContain(before)
    await write(object, text.replace(before, after))
  }
  return { schema, write, edit, remove: (object: string) => rm(file(object)) }
}

/** An object in a file, with a relationship whose other end no file has. */
export const project = `title: c_project
xSvcLabel: { singular: Project, plural: Projects }
properties:
  name: { type: [string, "null"], title: Name, xSvcPrimary: true }
  state: { xSvcType: select, enum: [Open, Closed], title: State }
  budget: { type: [number, "null"], title: Budget }
  company:
    title: Company
    xSvcRelationship: { kind: many-to-one, entity: company, field: projects }
`
