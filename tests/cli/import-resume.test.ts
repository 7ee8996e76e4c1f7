import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { answered, scratchFile } from './kontor.ts'

const { api, baseUrl, credentials } = await startApp()
const env = { KONTOR_BASE_URL: baseUrl, KONTOR_API_KEY: credentials.keys.adminKey!, KONTOR_WORKSPACE: 'acme' }

/** Rows of which nothing is unique, so that one written twice is there twice. */
const rows = Array.from({ length: 240 }, (_, i) => (i === 140 ? 'Nul \0 inside' : `Row ${i}`))

const rowsThere = async (): Promise<string[]> => {
  const path = '/workspaces/acme/objects/person/resources'
  const { body } = await api.get(path, { query: { 'page[limit]': 1000 } })
  const people = body.data as { attributes: { job_title: string } }[]
  return people.map(({ attributes }) => attributes.job_title).filter((title) => title?.startsWith('Row '))
}

/** Hands calls on to the server, and withholds one answer: what it says is done, and nobody hears of it. */
async function withoutAnswer(withheld: number, to = 'POST'): Promise<string> {
  let calls = 0
  const proxy = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming
    const isWithheld = method === to && ++calls === withheld
    const onward = request(`${new URL(baseUrl).origin}${url}`, { method, headers }, (answer) => {
      if (isWithheld) answer.resume().once('end', () => outgoing.destroy())
      else answer.pipe(outgoing.writeHead(answer.statusCode!, answer.headers))
    })
    incoming.pipe(onward)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => proxy.once('listening', resolve))
  onTestFinished(() => void proxy.close())
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/v1`
}

test('a run that was cut off at a row that cannot be stored is resumed to its end', async () => {
  const file = await scratchFile(`Title\n${rows.join('\n')}\n`)
  const load = (settings: Record<string, string>, ...more: string[]) =>
    answered(['import', 'person', file, '--map', 'Title=job_title', '--chunk', '20', '--json', ...more], settings)

  const cut = await load({ ...env, KONTOR_BASE_URL: await withoutAnswer(8) }, '--retry-for', '0')
  expect(cut).toMatchObject({ code: 1, json: { complete: false, rows: 240, created: 140, rejected: 0 } })
  // The server has written the other rows of the request that was not answered.
  expect(await rowsThere()).toHaveLength(159)

  const { code, json, stderr } = await load(env, '--resume', cut.json.run)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(json).toMatchObject({ complete: true, rows: 240, created: 239, updated: 0, unchanged: 0, rejected: 1 })
  expect((await readFile(json.rejects_file, 'utf8')).split('\n')).toEqual([
    'Title,_line,_reason',
    expect.stringMatching(/^Nul \0 inside,142,job_title: /),
    '',
  ])
  expect((await rowsThere()).toSorted()).toEqual(rows.filter((row) => row.startsWith('Row ')).toSorted())
})

test('waits for a server that does not answer the first request, as for one that goes away later', async () => {
  const file = await scratchFile('Title\nFirst\n')
  const settings = { ...env, KONTOR_BASE_URL: await withoutAnswer(1, 'GET') }
  const { code, json } = await answered(['import', 'person', file, '--map', 'Title=job_title', '--json'], settings)
  expect([code, json.created]).toEqual([0, 1])
})

test('linked records that were created before the import was cut off are not created again', async () => {
  const file = await scratchFile('Title,Domain\nOne,a.example.com\nTwo,b.example.com\nThree,a.example.com\n')
  const load = (settings: Record<string, string>, ...more: string[]) => {
    const maps = ['--map', 'Title=job_title', '--map', 'Domain=company_id.domains', '--create-missing']
    return answered(['import', 'person', file, ...maps, '--chunk', '2', '--json', ...more], settings)
  }
  // The first call finds the domains that are missing, the second creates their companies.
  const cut = await load({ ...env, KONTOR_BASE_URL: await withoutAnswer(2) }, '--retry-for', '0')
  expect(cut).toMatchObject({ code: 1, json: { complete: false, created: 0 } })
  const { json } = await load(env, '--resume', cut.json.run)
  expect(json).toMatchObject({ complete: true, created: 3, rejected: 0 })
  const { body } = await api.get('/workspaces/acme/objects/company/resources')
  const companies = body.data as { attributes: { domains: { items: string[] } } }[]
  expect(companies.flatMap(({ attributes }) => attributes.domains.items).toSorted()).toEqual([
    'a.example.com',
    'b.example.com',
  ])
})
