import { writeFile } from 'node:fs/promises'
import { Command } from 'commander'
import { schemas } from '@kontor/contract'
import { connect, withConnection, type ConnectionOptions } from '../connection.ts'
import { examples } from '../help.ts'
import { count, say } from '../output.ts'
import { objectsOf, writeTypes } from '../types/write.ts'

type Options = ConnectionOptions & { readonly out?: string }

const help = `
Writes types for each object: records, their attributes and relationships, the input of creations and changes, sort
columns, and includes. The same schemas give the same text, so the file can be kept under version
control. "createObjectsClient<Objects>" of @kontor/client uses these types; other generators read the OpenAPI document
of the workspace: GET /v1/workspaces/<slug>/openapi.json.
${examples(
  ['kontor types --workspace acme --out kontor-types.ts', 'write the types into a file'],
  ['kontor types --workspace acme | diff - kontor-types.ts', 'check whether the schemas have changed since'],
)}`

export const typesCommand = (): Command =>
  withConnection(new Command('types'))
    .description("Write the TypeScript types of a workspace's objects.")
    .option('--out <file>', 'write into this file; by default to the standard output')
    .addHelpText('after', help)
    .action(async ({ out, ...connection }: Options) => {
      const { rest, workspace } = connect(connection)
      const { body } = await rest.call(schemas.describe, { workspace })
      const text = writeTypes(workspace, body)
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
