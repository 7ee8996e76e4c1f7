import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { exports, type ExportBody, type ExportResource } from '@kontor/contract'
import type { Connected } from '../connection.ts'
import { CommandFailed } from '../errors.ts'
import { count, say } from '../output.ts'
import { pathToWrite, type StartedIn } from '../started-in.ts'

/** Pauses between two questions for the progress. */
const pauseMs = 500

/** Pauses between two lines of progress. */
const printedEach = 10

/** The name of the file; by default that of the export. */
type Output = StartedIn & { readonly output?: string }

/** Starts an export, waits for its end, and saves its file; returns the path and the export. */
export async function exportToFile({ rest, workspace }: Connected, body: ExportBody, { output, ...at }: Output) {
  const { body: started } = await rest.call(exports.create, { workspace, body })
  const { id, attributes } = await ended({ rest, workspace }, started.data)
  if (attributes.state !== 'completed')
    throw new CommandFailed(`The export has ended as ${attributes.state}. ${attributes.error ?? ''}`.trim())
  const { body: download } = await rest.call(exports.download, { workspace, id })
  const path = pathToWrite(output ?? attributes.file_name, at)
  if (download.data.url === null) throw new CommandFailed('The file is gone: files are kept for 7 days.')
  await save(download.data.url, path)
  return { path, attributes }
}

async function ended({ rest, workspace }: Connected, started: ExportResource): Promise<ExportResource> {
  let found = started
  for (let turn = 1; found.attributes.ended_at === null; turn++) {
    await sleep(pauseMs)
    found = (await rest.call(exports.get, { workspace, id: started.id })).body.data
    if (turn % printedEach === 0) say(`${count(found.attributes.rows_done, 'row')} written.`)
  }
  return found
}

/** Saves what a URL returns; half of a file is never under its name. */
async function save(url: string, path: string): Promise<void> {
  const part = `${path}.part`
  const response = await fetch(url)
  if (!response.ok || response.body === null)
    throw new CommandFailed(`The file cannot be downloaded (${response.status}).`)
  try {
    await pipeline(Readable.fromWeb(response.body), createWriteStream(part))
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}
