import { randomBytes } from 'node:crypto'
import { copyFile, open, rename, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { kontor } from '../cli/kontor.ts'
import { startApp } from '../harness/app.ts'
import { openAt } from '../harness/database.ts'
import { recordsOf } from '../harness/records.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { startServer } from '../harness/server-process.ts'
import { until } from '../harness/until.ts'

const app = await startApp()
const records = recordsOf(app)
const pageBytes = 8192
const W = '/workspaces/acme'

/** A copy of the database of the app in a folder of its own, as a backup tool makes it. */
async function backUp(): Promise<{ file: string; url: string; backup: string }> {
  const folder = await scratchFolder()
  const file = join(folder, 'kontor.sqlite')
  const backup = join(folder, 'backup.sqlite')
  const database = openAt(app.databaseUrl)
  if (!('migrationConnection' in database)) throw new Error('for SQLite alone')
  database.migrationConnection.exec(`vacuum into '${backup}'`)
  await database.close()
  await copyFile(backup, file)
  return { file, url: `sqlite:${file}`, backup }
}

const change = async (baseUrl: string, name: string) => expect(await changeStatus(baseUrl, name)).toBe(201)

const changeStatus = async (baseUrl: string, name: string): Promise<number> => {
  const { status } = await app.http.send({
    method: 'POST',
    url: `${baseUrl}${W}/objects/deal/records`,
    headers: { Authorization: `api-key ${app.credentials.keys['adminKey']}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ data: { type: 'deal', attributes: { name } } }),
  })
  return status
}

test('refuses a backup beside the log of the database before, and a second server on one file', async () => {
  // Also where the backup is copied right after the kill.
  await records.create('deal', { name: 'In the backup' })
  const { file, url, backup } = await backUp()
  const server = await startServer(url)
  await change(server.baseUrl, 'After the backup')
  await expect(startServer(url)).rejects.toThrow(/Another server is running on .*kontor\.sqlite/)
  await server.kill()
  expect((await stat(`${file}-wal`)).size).toBeGreaterThan(0)
  await copyFile(backup, file)
  expect(() => openAt(url)).toThrow(/was replaced after its last server stopped.*delete .*-wal/)
  await Promise.all([rm(`${file}-wal`), rm(`${file}-shm`)])
  const restored = await startServer(url)
  await change(restored.baseUrl, 'After the restore')
  // A kill alone is no reason to refuse.
  await restored.kill()
  await openAt(url).close()
})

test('changes nothing in a file that was replaced or deleted while the server runs, and is not ready', async () => {
  for (const act of [(file: string) => rm(file), (file: string, backup: string) => rename(backup, file)]) {
    const { file, url, backup } = await backUp()
    const server = await startServer(url)
    await change(server.baseUrl, 'Before')
    await act(file, backup)
    const readiness = async () =>
      (await app.http.send({ method: 'GET', url: server.baseUrl.replace('/v1', '/readyz') })).status
    await until(async () => (await readiness()) === 503)
    expect(await changeStatus(server.baseUrl, 'Lost')).toBe(503)
    await server.kill()
  }
})

test('refuses an empty file on which a server has run, and one whose end is missing', async () => {
  const { file, url } = await backUp()
  await openAt(url).close()
  const { size } = await stat(file)
  await truncate(file, size - pageBytes)
  expect(() => openAt(url)).toThrow(/is incomplete: its end is missing.*Restore a complete backup/)
  await truncate(file, 0)
  await openAt(url).close()
  await truncate(file, 0)
  await writeFile(`${file}-lock`, '')
  // As a server signs it after its start.
  const signed = new Date(app.now() + 1000)
  await utimes(`${file}-lock`, signed, signed)
  expect(() => openAt(url)).toThrow(/is empty, but a server has run on it/)
})

test('answers 503 where the file is damaged, and is not ready from then on', async () => {
  const { file, url } = await backUp()
  const other = await startApp({ beside: { databaseUrl: url, credentials: app.credentials } })
  const list = () => other.api.get(`${W}/objects/deal/resources`)
  const readiness = async () => (await other.http.send({ method: 'GET', url: `${other.origin}/readyz` })).status
  expect([(await list()).status, await readiness()]).toEqual([200, 200])
  const { size } = await stat(file)
  const damaged = await open(file, 'r+')
  for (let page = 1; page < size / pageBytes; page++) await damaged.write(randomBytes(64), 0, 64, page * pageBytes)
  await damaged.close()
  const { status, body } = await list()
  expect([status, body.errors[0].code]).toEqual([503, 'unavailable'])
  expect(await readiness()).toBe(503)
  const doctor = await kontor(['doctor', '--json'], { DATABASE_URL: url, DATA_DIR: dirname(file) })
  expect(doctor.stdout).toContain('is damaged')
  other.takeErrors()
})
