import { setTimeout as sleep } from 'node:timers/promises'
import { asyncTasks, schemas } from '@kontor/contract'
import type { Connected } from '../connection.ts'
import { CommandFailed } from '../errors.ts'
import { say } from '../output.ts'
import { documentOf, type ObjectFile } from './object-file.ts'
import { adapted, withoutRelationshipsTo, type ObjectsPlan } from './objects-plan.ts'
import { listDocuments } from './workspace.ts'

/** Interval at which a task is asked about. */
const everyMs = 200

/**
 * Creates and changes objects as planned. Each object is compared again before it is changed, so that running it again
 * after an interruption continues.
 */
export async function applyObjects(
  connected: Connected,
  files: readonly ObjectFile[],
  plan: ObjectsPlan,
): Promise<void> {
  const isPlanned = (action: string) => (file: ObjectFile) =>
    plan.objects.some((one) => one.object === file.title && one.action === action)
  const created = files.filter(isPlanned('create'))
  for (const file of created) await createObject(connected, file)
  for (const file of created) await changeObject(connected, files, file)
  for (const file of files.filter(isPlanned('change')))
    if (await changeObject(connected, files, file)) say(`Changed ${file.title}.`)
}

/** Deletes the objects that a plan deletes. */
export async function deleteObjects(connected: Connected, plan: ObjectsPlan): Promise<void> {
  for (const { object, action } of plan.objects) if (action === 'delete') await deleteObject(connected, object)
}

/** Creates an object with its own fields; relationships need both objects, and come with the change behind it. */
async function createObject({ rest, workspace }: Connected, file: ObjectFile): Promise<void> {
  const { title, xSvcLabel: label, description } = file
  const related = Object.values(file.properties).flatMap(({ xSvcRelationship: to }) => to?.entity ?? [])
  const { possible } = withoutRelationshipsTo(new Set(related), file)
  const properties = Object.fromEntries(
    Object.entries(possible.properties).map(([name, { xSvcPrevName: _before, ...property }]) => [name, property]),
  )
  const plural = label?.plural ?? title
  await rest.call(schemas.create, {
    workspace,
    body: { name: title.slice(2), plural, properties, ...(description !== undefined && { description }) },
  })
  say(`Created ${title}.`)
}

/** Replaces the schema of an object where it still differs from its file; returns whether it did. */
async function changeObject(connected: Connected, files: readonly ObjectFile[], given: ObjectFile): Promise<boolean> {
  const { rest, workspace } = connected
  const found = adapted(files, given, await listDocuments(connected))
  if (found === undefined) return false
  const object = found.file.title
  const body = documentOf(found.file, found.$id)
  const { body: planned } = await rest.call(schemas.plan, { workspace, object, body })
  if (planned.data.attributes.changes.length === 0) return false
  const { body: task } = await rest.call(schemas.replace, { workspace, object, body })
  await untilEnded(connected, task.data.id, object)
  return true
}

async function deleteObject(connected: Connected, object: string): Promise<void> {
  const { body } = await connected.rest.call(schemas.remove, { workspace: connected.workspace, object })
  await untilEnded(connected, body.data.id, object)
  say(`Deleted ${object}.`)
}

/** Waits until a task has ended; throws `CommandFailed` with its errors where it was not completed. */
async function untilEnded({ rest, workspace }: Connected, id: string, object: string): Promise<void> {
  for (;;) {
    const { body } = await rest.call(asyncTasks.get, { workspace, id })
    const { state, metadata } = body.data.attributes
    if (state === 'completed') return
    if (state === 'failed' || state === 'cancelled') {
      const faults = (metadata.errors ?? []).map(
        ({ field, reason, count }) => `\n  ${field}: ${reason} (${count} records)`,
      )
      throw new CommandFailed(`The change of ${object} was not made (${state}).${faults.join('')}`)
    }
    await sleep(everyMs)
  }
}
