import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { kontor } from './kontor.ts'

const app = await startApp()
await app.startJobs()
const dir = await scratchFolder()
const env = {
  KONTOR_BASE_URL: app.baseUrl,
  KONTOR_WORKSPACE: 'acme',
  KONTOR_ACCESS_TOKEN: app.credentials.cast.tokens.admin,
}
const schema = (verb: string, ...args: string[]) => kontor(['schema', verb, '--dir', dir, ...args], env)
/** The same where the environment has the address of a receiver, with its token. */
const schemaWith = (token: string, verb: string, ...args: string[]) =>
  kontor(['schema', verb, '--dir', dir, ...args], { ...env, RECEIVER: `https://receiver.example/${token}` })
const listTitles = async (): Promise<string[]> => {
  const { body } = await app.api.get('/workspaces/acme/objects/person/lists')
  return body.data.map(({ attributes }: { attributes: { title: string } }) => attributes.title)
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(join(dir, path, '..'), { recursive: true })
  await writeFile(join(dir, path), text)
}

const list = (title: string, more = ''): string => `object: person\ntitle: ${title}\ntype: static\n${more}`

test('a list is created, renamed, and pruned only where that is allowed', async () => {
  await write('lists/key.yaml', list('Key people', 'emoji: 🏛️\n'))
  expect(await schema('plan')).toMatchObject({ code: 2, stdout: '+ lists person/Key people\n' })
  expect(await schema('apply')).toMatchObject({ code: 0, stderr: 'Created the list person/Key people.\n' })
  await write('lists/key.yaml', list('Chairs', 'renamed_from: Key people\n'))
  const planned = await schema('plan', '--json')
  expect([planned.code, planned.json.data.items]).toEqual([
    2,
    [
      {
        part: 'lists',
        name: 'person/Chairs',
        action: 'change',
        changes: [
          { op: 'update', path: ['title'], val: 'Chairs', oldVal: 'Key people' },
          { op: 'update', path: ['emoji'], val: '', oldVal: '🏛️' },
        ],
      },
    ],
  ])
  expect(await schema('apply')).toMatchObject({ code: 0 })
  expect(await schema('apply')).toMatchObject({ code: 0, stdout: 'Nothing differs.\n' })
  await write('lists/key.yaml', list('Others'))
  expect((await schema('plan')).stdout).toContain('Not in the files, and kept: list person/Chairs.')
  expect(await schema('apply', '--prune')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/lists person\/Chairs would be deleted.*--allow-loss/),
  })
  expect(await schema('apply', '--prune', '--allow-loss')).toMatchObject({ code: 0 })
  expect(await listTitles()).toEqual(['Others'])
})

const workflow = (name: string, other: string): string =>
  `name: ${name}\nenabled: false\ntrigger:\n  plugin_id: on:email:bounce\n` +
  `  input: { workflow_id: '\${workflow:${other}}' }\n  next: note\n` +
  'blocks:\n  note: { plugin_id: svc:create:record, input: { object: task, attributes: { title: Bounced } } }\n'

test('workflows that name one another are created together', async () => {
  await write('workflows/one.yaml', workflow('One', 'Two'))
  await write('workflows/two.yaml', workflow('Two', 'One'))
  expect(await schema('apply', '--only', 'workflows')).toMatchObject({ code: 0 })
  expect(await schema('plan', '--only', 'workflows')).toMatchObject({ code: 0 })
  const { body } = await app.api.get('/workspaces/acme/workflows')
  const [first, second] = body.data
  expect(first.attributes.trigger.input.workflow_id).toBe(second.id)
})

test('a value of the environment is a name, and is shown by nothing', async () => {
  await write('webhooks/receiver.yaml', 'url: ${env:RECEIVER}\nevents: ["*"]\nenabled: false\n')
  await write('settings.yaml', 'time_zone: UTC\nchat_webhook_url: ${env:RECEIVER}\n')
  const parts = ['--only', 'webhooks,settings'] as const
  const shown = [
    await schemaWith('t0ken-one', 'plan', ...parts, '--json'),
    await schemaWith('t0ken-one', 'apply', ...parts),
  ]
  expect(shown.map(({ code }) => code)).toEqual([2, 0])
  expect(await schemaWith('t0ken-one', 'plan', ...parts)).toMatchObject({ code: 0, stdout: 'Nothing differs.\n' })
  await write('webhooks/receiver.yaml', 'url: ${env:RECEIVER}\ndescription: Receiver\nevents: ["*"]\nenabled: false\n')
  shown.push(await schemaWith('t0ken-two', 'plan', ...parts), await schemaWith('t0ken-two', 'plan', ...parts, '--json'))
  expect(shown.at(-2)).toMatchObject({ stdout: expect.stringContaining('~ value: "(hidden)" → "(hidden)"') })
  expect(shown.map(({ stdout, stderr }) => stdout + stderr).join('')).not.toMatch(/t0ken-(one"|two)/)
  await rm(join(dir, 'webhooks'), { recursive: true })
  await rm(join(dir, 'settings.yaml'))
})

test.each([
  ['lists/key.yaml', list('Others', 'colour: red\n'), /lists\/key\.yaml: .*colour/],
  ['lists/key.yaml', list('Others').replace('static', 'dynamic'), /"type" of a list cannot be changed/],
  ['lists/two.yaml', list('Others'), /describe the same list "person\/Others"/],
  ['lists/two.yaml', 'title: [', /two\.yaml is no YAML/],
  ['webhooks/a.yaml', 'url: ${env:NOWHERE}\nevents: ["*"]\n', /a\.yaml: the environment variable NOWHERE is not set/],
  ['workflows/a.yaml', 'name: A\ndescription: ${user:nobody@acme.example}\n', /no member "nobody@acme\.example"/],
  ['settings.yaml', 'time_zone: Nowhere\n', /settings\.yaml: .*IANA/],
  ['settings.yaml', 'timezone: UTC\n', /settings\.yaml: /],
])('a mistake in %s is named, and changes nothing', async (path, text, message) => {
  await write(path, text)
  expect(await schema('apply')).toMatchObject({ code: 1, stderr: expect.stringMatching(message) })
  await rm(join(dir, path))
  await write('lists/key.yaml', list('Others'))
  expect(await listTitles()).toEqual(['Others'])
})
