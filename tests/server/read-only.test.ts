import { copyFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { kontor } from '../cli/kontor.ts'
import { startApp } from '../harness/app.ts'
import { copiedDatabase, openAt } from '../harness/database.ts'
import { hasReadOnlyFolders, lockableFolder, needsReadOnlyFolders } from '../harness/read-only-folder.ts'
import { recordsOf } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'

const app = await startApp()
const records = recordsOf(app)
const path = '/workspaces/acme/objects/deal'

test.runIf(hasReadOnlyFolders)(
  `a database that was closed is read in a read-only folder, and changes are refused${needsReadOnlyFolders}`,
  async () => {
    await records.create('deal', { name: 'To look at' })
    const { folder, lock } = await lockableFolder()
    const copied = await copiedDatabase(app.databaseUrl)
    const [closed, running] = ['closed', 'running'].map((name) => join(folder, `${name}.sqlite`)) as [string, string]
    const from = copied.url.slice('sqlite:'.length)
    const open = openAt(copied.url)
    await open.write((tx) => tx.query(({ knex }) => knex.raw('select 1')))
    await copyFile(from, running)
    await open.close()
    await copyFile(from, closed)
    await writeFile(join(folder, 'encryption.key'), 'a key of at least thirty-two characters')
    await lock()
    const settings = { DATABASE_URL: `sqlite:${closed}`, DATA_DIR: folder }
    const [server, doctor] = await Promise.all([
      startServer(settings.DATABASE_URL, settings),
      kontor(['doctor', '--json'], settings),
    ])
    const headers = { Authorization: `api-key ${app.credentials.keys['adminKey']}`, 'Content-Type': 'application/json' }
    const send = (method: string, url: string, body?: unknown) =>
      app.http.send({ method, url: `${server.baseUrl}${path}${url}`, headers, body: JSON.stringify(body) })
    const read = await send('GET', '/resources')
    expect([read.status, read.body.data[0].attributes.name]).toEqual([200, 'To look at'])
    const written = await send('POST', '/records', { data: { type: 'deal', attributes: { name: 'Too late' } } })
    expect([written.status, written.body.errors[0].code]).toEqual([503, 'unavailable'])
    expect(server.output()).toMatch(/cannot be written: the server serves reads, and refuses changes with 503/)
    expect(JSON.parse(doctor.stdout).data.checks).toContainEqual({
      name: 'Changes',
      status: 'warn',
      detail: expect.stringMatching(/cannot be written: a server only reads/),
    })
    expect(await server.terminate()).toBe(0)
    expect(existsSync(`${closed}-wal`)).toBe(false)
    expect(() => openAt(`sqlite:${running}`)).toThrow(
      /cannot be read while .* cannot be written.*Copy it into a folder/,
    )
    await copied.remove()
  },
)
