import { writeFile } from 'node:fs/promises'
import { Command } from 'commander'
import { schemas, type Output } from '@kontor/contract'
import { connect, withConnection, type ConnectionOptions } from '../connection.ts'
import { CommandFailed } from '../errors.ts'
import { examples } from '../help.ts'
import { count, say } from '../output.ts'
import { readObjects } from '../schema/object-files.ts'
import { objectsOf, writeTypes, type Source } from '../types/write.ts'

type Options = ConnectionOptions & { readonly out?: string; readonly dir?: string }

const help = `
Writes types for each object: records, their attributes and relationships, the input of creations and changes, sort
columns, and includes. The same schemas give the same text, so the file can be kept under version
control. "createObjectsClient<Objects>" of @kontor/client uses these types; other generators read the OpenAPI document
of the workspace: GET /v1/workspaces/<slug>/openapi.json.
${examples(
  ['kontor types --workspace acme --out kontor-types.ts', 'write the types into a file'],
  ['kontor types --dir crm --out kontor-types.ts', 'write the types of the objects in a folder'],
  ['kontor types --workspace acme | diff - kontor-types.ts', 'check whether the schemas have changed since'],
)}`

export const typesCommand = (): Command =>
  withConnection(new Command('types'))
    .description("Write the TypeScript types of a workspace's objects.")
    .option('--out <file>', 'write into this file; by default to the standard output')
    .option('--dir <folder>', 'read the objects from the files of "kontor schema", without a server')
    .addHelpText('after', help)
    .action(async ({ out, dir, ...connection }: Options) => {
      const { source, body } = await (dir === undefined ? described(connection) : describedIn(dir))
      const text = writeTypes(source, body)
      if (out === undefined) process.stdout.write(text)
      else {
        await writeFile(out, text)
        say(
          'Wrote the types of ' +
            `${count(objectsOf(body.components['schemas'] as Parameters<typeof objectsOf>[0]).length, 'object')} ` +
            `to ${out}.`,
        )
      }
    })

type Described = { readonly source: Source; readonly body: Output<typeof schemas.describe> }

async function described(connection: ConnectionOptions): Promise<Described> {
  const { rest, workspace } = connect(connection)
  const { body } = await rest.call(schemas.describe, { workspace })
  return { source: { workspace }, body }
}

/** Describes the objects of a folder; the code for it is loaded only then. */
async function describedIn(dir: string): Promise<Described> {
  const files = await readObjects(dir)
  if (files.length === 0)
    throw new CommandFailed(`There is no object in ${dir}: "kontor schema pull" writes a file for each.`)
  const { describeDocuments } = await import('@kontor/server/describe')
  return { source: { dir }, body: (await describeDocuments(dir, files)) as Described['body'] }
}
