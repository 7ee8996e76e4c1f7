import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { kontorText, run } from '../shell.ts'
import { tell } from '../tell.ts'
import { workspace } from './model.ts'

const home = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
/** Inside the tree, since what is compiled there imports what the example does. */
const generated = join(home, 'generated')

/** The output of a program that knows the new shape; it compiles only if the generated types do. */
const programs: Readonly<Record<string, string>> = {
  'by-openapi.ts': `
import createClient from 'openapi-fetch'
import type { paths } from './openapi.d.ts'

const { KONTOR_BASE_URL: url = '', KONTOR_API_KEY: key = '' } = process.env
const [, , id = ''] = process.argv
const client = createClient<paths>({ baseUrl: url, headers: { Authorization: \`api-key \${key}\` } })
const path = { workspace: '${workspace}', id }
const { data, error } = await client.GET(
  '/workspaces/{workspace}/objects/c_committee/records/{id}/relationships/members',
  {
    params: {
      path,
      query: { 'sortOrder[column]': 'name.last_name', 'sortOrder[dir]': 'ASC', include: ['members.committees'] },
    },
  },
)
if (error) throw new Error(error.errors[0]?.detail)
for (const { attributes, relationships } of data.data) {
  const others = relationships.committees?.data.filter((one) => one.id !== id).map((one) => one.attributes?.name)
  console.log(attributes.name?.last_name, others?.length)
}
const committee = await client.GET('/workspaces/{workspace}/objects/c_committee/resources/{id}', { params: { path } })
const remit: string | null | undefined = committee.data?.data.attributes.remit
const founded: string | null | undefined = committee.data?.data.attributes.founded
// @ts-expect-error it is called remit now
void committee.data?.data.attributes.jurisdiction
// @ts-expect-error joint is no option any more
const kind: 'joint' | undefined = committee.data?.data.attributes.kind
console.log(typeof remit, founded, typeof kind)
`,
  'by-kontor.ts': `
import { createObjectsClient } from '@kontor/client'
import type { CCommitteeInput, Objects } from './kontor-types.ts'

const { KONTOR_BASE_URL: url = '', KONTOR_API_KEY: apiKey = '' } = process.env
const [, , id = ''] = process.argv
const client = createObjectsClient<Objects>({ url, apiKey }, '${workspace}')
const { data } = await client.related('c_committee', id, 'members', {
  sortOrder: { column: 'name.last_name', dir: 'ASC' },
  include: ['members.committees'],
})
for (const { attributes, relationships } of data) {
  const others = relationships.committees?.data.filter((one) => one.id !== id).map((one) => one.attributes?.name)
  console.log(attributes.name?.last_name, others?.length)
}
const committee = (await client.get('c_committee', id)).data.attributes
export const input: CCommitteeInput = {
  name: 'Select committee',
  kind: 'house',
  founded: '2026-01-31',
  remit: null,
  website: 'https://example.com',
}
// @ts-expect-error it is called remit now
void committee.jurisdiction
// @ts-expect-error joint is no option any more
input.kind = 'joint'
console.log(typeof committee.remit, committee.founded, 'string')
`,
}

type Place = { readonly url: string; readonly key: string; readonly committeeId: string }

/** Generates clients for the workspace as it is now, compiles programs against them, and runs them. */
export async function generateClients(place: Place): Promise<readonly string[]> {
  await mkdir(generated, { recursive: true })
  const folder = await mkdtemp(join(generated, 'clients-'))
  try {
    await generateInto(folder, place)
    await run('npx', ['tsc', '-p', folder], home)
    tell('both compile under strict')
    const outputs: string[] = []
    for (const file of Object.keys(programs))
      outputs.push(await run('node', [join(folder, file), place.committeeId], home))
    return outputs
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function generateInto(folder: string, { url, key }: Place): Promise<void> {
  const document = join(folder, 'openapi.json')
  const response = await fetch(`${url}/workspaces/${workspace}/openapi.json`, {
    headers: { Authorization: `api-key ${key}` },
  })
  assert.equal(response.status, 200)
  await writeFile(document, await response.text())
  const unchanged = await fetch(response.url, {
    headers: { Authorization: `api-key ${key}`, 'If-None-Match': response.headers.get('etag') ?? '' },
  })
  assert.equal(unchanged.status, 304)
  await run('npx', ['openapi-typescript', document, '-o', join(folder, 'openapi.d.ts')], home)
  await kontorText('types', '--out', relative(root, join(folder, 'kontor-types.ts')))
  for (const [file, text] of Object.entries(programs)) await writeFile(join(folder, file), text)
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: '../../../../tsconfig.base.json',
      compilerOptions: { exactOptionalPropertyTypes: false },
      include: ['.'],
      exclude: [],
    }),
  )
}
