import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { answered, scratchFile } from './kontor.ts'

const app = await startApp()
const { api, baseUrl, credentials } = app
await app.startJobs()
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

const load = (file: string, settings: Record<string, string>, ...more: string[]) =>
  answered(['import', 'person', file, '--map', 'Title=job_title', '--json', ...more], settings)

const titles = rows.filter((row) => row.startsWith('Row ')).toSorted()

test('a request whose answer is lost is sent again, and imports nothing twice', async () => {
  const file = await scratchFile(`Title\n${rows.join('\n')}\n`)
  // An upload and a preview come before it.
  const { code, json } = await load(file, { ...env, KONTOR_BASE_URL: await withoutAnswer(3) })
  expect([code, json]).toMatchObject([0, { complete: true, rows: 240, created: 239, rejected: 1 }])
  expect((await readFile(json.rejects_file, 'utf8')).split('\r\n')).toEqual([
    'Title,_line,_reason',
    expect.stringMatching(/^Nul \0 inside,142,"job_title: /),
    '',
  ])
  expect((await rowsThere()).toSorted()).toEqual(titles)
  const again = await load(file, env, '--resume', json.run)
  expect([again.code, again.json]).toMatchObject([0, { run: json.run, complete: true, created: 239, rejected: 1 }])
  expect(again.stderr).toMatch(/complete already, so nothing was read\. To import the file, omit --resume/)
  expect((await rowsThere()).toSorted()).toEqual(titles)
})

test('waits for a server that does not answer the first request, as for one that goes away later', async () => {
  const file = await scratchFile('Title\nFirst\n')
  const { code, json } = await load(file, { ...env, KONTOR_BASE_URL: await withoutAnswer(1) })
  expect([code, json.created]).toEqual([0, 1])
})

test('a command that loses the server says how to go on, and the import goes on without it', async () => {
  const file = await scratchFile('Title\nSecond\n')
  const settings = { ...env, KONTOR_BASE_URL: await withoutAnswer(1, 'GET') }
  const { code, stderr } = await load(file, settings, '--retry-for', '0')
  const said = /The server continues the import\.\n.*--resume [0-9a-f-]{36}/
  expect([code, stderr]).toEqual([1, expect.stringMatching(said)])
  const [, id = ''] = /--resume (\S+)/.exec(stderr) ?? []
  expect(await load(file, env, '--resume', id)).toMatchObject({ code: 0, json: { complete: true, created: 1 } })
})
