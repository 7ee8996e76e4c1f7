import { describe, expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { failed, answered, scratchFile } from './kontor.ts'

describe.runIf(inject('database') === 'sqlite')('mistakes are told before anything is sent', async () => {
  const { api, baseUrl, credentials } = await startApp()
  const env = { KONTOR_BASE_URL: baseUrl, KONTOR_API_KEY: credentials.keys.adminKey!, KONTOR_WORKSPACE: 'acme' }
  const total = async () =>
    (await api.get('/workspaces/acme/objects/person/resources')).body.meta.total_records as number
  const good = 'First,Last,Mail\nAnn,Lee,ann@example.com\n'
  const run = async (content: string | Uint8Array, args: string[], changed: Record<string, string> = {}) =>
    answered(['import', 'person', await scratchFile(content), ...args], { ...env, ...changed })

  const maps = ['--map', 'First=name']

  test.concurrent.each<[what: string, content: string | Uint8Array, args: string[], code: number, message: RegExp]>([
    ['no mapping', good, [], 2, /Map columns to fields/],
    ['a mapping without a field', good, ['--map', 'First'], 2, /"First" is no mapping; write 'Column=field'/],
    [
      'an unknown column',
      good,
      ['--map', 'Frist=name'],
      2,
      /The file has no column "Frist"\. Did you mean "First"\? Columns: First, Last, Mail\. Fields of person: name, /,
    ],
    ['an unknown column in a template', good, ['--map', '{Frist} {Last}=name'], 2, /no column "Frist"/],
    [
      'an unknown field',
      good,
      ['--map', 'First=job_titel'],
      2,
      /person has no field "job_titel"\. Did you mean "job_title"\?/,
    ],
    [
      'an unknown part',
      good,
      ['--map', 'First=name.first'],
      2,
      /"name" has no part "first"; it has first_name, last_name, full_name/,
    ],
    ['a part of a plain field', good, ['--map', 'First=job_title.x'], 2, /"job_title" has no parts/],
    [
      'a relationship to many',
      good,
      ['--map', 'First=deals'],
      2,
      /"deals" of person is no value, but links .*kontor import --links person\.deals/,
    ],
    [
      'two columns for one value',
      good,
      ['--map', 'First=job_title', '--map', 'Last=job_title'],
      2,
      /join them in one source: \{First\} \{Second\}/,
    ],
    ['several mistakes at once', good, ['--map', 'A=name', '--map', 'First=b'], 2, /no column "A"[\s\S]*no field "b"/],
    [
      'matching on a field that is not unique',
      good,
      [...maps, '--match-on', 'job_title'],
      2,
      /"job_title" of person is not unique; unique: email_addresses/,
    ],
    [
      'matching on a field that is not mapped',
      good,
      [...maps, '--match-on', 'email_addresses'],
      2,
      /map a column to it/,
    ],
    ['an empty file', '', maps, 1, /The file is empty/],
    ['a header that names a column twice', 'First,First\na,b\n', maps, 1, /contains "First" twice/],
    [
      'a quote that is never closed',
      'First\nAnn\n"Bob\nCid\n',
      maps,
      1,
      /not valid CSV.*: a quote is opened and never closed/,
    ],
    ['a quote in the middle of a quoted cell', 'First\n"An"n"\n', maps, 1, /not valid CSV.*line 2.*written twice/],
    [
      'another encoding than said',
      Buffer.from('First\nZo\xEB\n', 'latin1'),
      [...maps, '--encoding', 'utf-8'],
      1,
      /is not utf-8\. Save it/,
    ],
    ['a sheet of a text', good, [...maps, '--sheet', 'People'], 1, /sheet is for XLSX only/],
    ['a workbook that is none', good, [...maps, '--format', 'xlsx'], 1, /not a workbook/],
    [
      'the wrong delimiter',
      good.replaceAll(',', ';'),
      [...maps, '--delimiter', ','],
      2,
      /no column "First".* Columns: First;Last;Mail/,
    ],
  ])('%s', async (_, content, args, code, message) => {
    expect(await run(content, args)).toMatchObject(failed(code, message))
  })

  test.concurrent.each<[what: string, env: Record<string, string>, code: number, message: RegExp]>([
    ['no key', { KONTOR_API_KEY: '' }, 2, /An API key is missing/],
    ['a wrong key', { KONTOR_API_KEY: 'pk_wrong' }, 1, /Check --api-key/],
    ['no workspace', { KONTOR_WORKSPACE: '' }, 2, /The workspace is missing/],
    ['an unknown workspace', { KONTOR_WORKSPACE: 'nowhere' }, 1, /no such workspace[\s\S]*workspaces\/nowhere\//],
    [
      'no server',
      { KONTOR_BASE_URL: 'http://127.0.0.1:1/v1' },
      1,
      /No response from http:\/\/127\.0\.0\.1:1\/v1[\s\S]*Is Kontor running there\?/,
    ],
    ['no address', { KONTOR_BASE_URL: 'localhost:4000' }, 2, /"localhost:4000" is not the address of an API/],
  ])('%s', async (_, changed, code, message) => {
    expect(await run(good, maps, changed)).toMatchObject(failed(code, message))
  })

  test('an unknown object and a file that is not there', async () => {
    expect(await answered(['import', 'persn', await scratchFile(good), ...maps], env)).toMatchObject(
      failed(1, /There is no object "persn"/),
    )
    expect(await answered(['import', 'person', '/nowhere/people.csv', ...maps], env)).toMatchObject(
      failed(1, /The file \/nowhere\/people\.csv does not exist/),
    )
    expect(await answered(['import', 'person', await scratchFolder(), ...maps], env)).toMatchObject(
      failed(1, /This is a folder/),
    )
  })

  test('none of it was written', async () => {
    expect(await total()).toBe(0)
  })
})
