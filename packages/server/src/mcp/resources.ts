import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server'
import { Failure } from '../kernel/errors.ts'
import type { ToolContext } from './tool.ts'
import { failureText } from './failures.ts'
import { objectsText, schemaText } from './schema-text.ts'

const mimeType = 'text/markdown'
const allObjects = 'kontor://schemas'

const uriOf = (object: string): string => `${allObjects}/${object}`

/** Serves the schemas of the workspace as resources, which a client can put before a model without a call of a tool. */
export function serveResources(server: Server, contextOf: () => ToolContext): void {
  server.setRequestHandler('resources/list', () =>
    answering(async () => {
      const { data } = await contextOf().call('schemas.list', { page: { limit: 200 } })
      const objects = data.map(({ attributes: { title, xSvcLabel } }) => ({
        uri: uriOf(title),
        name: title,
        title: `Fields of ${xSvcLabel.plural}`,
        mimeType,
      }))
      return {
        resources: [{ uri: allObjects, name: 'schemas', title: 'Objects of the workspace', mimeType }, ...objects],
      }
    }),
  )
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: uriOf('{object}'), name: 'schema', title: 'Fields of an object', mimeType }],
  }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) =>
    answering(async () => ({ contents: [{ uri, mimeType, text: await textOf(contextOf(), uri) }] })),
  )
}

async function textOf({ call }: ToolContext, uri: string): Promise<string> {
  if (uri === allObjects) return objectsText((await call('schemas.list', { page: { limit: 200 } })).data)
  const [, object] = /^kontor:\/\/schemas\/(\w+)$/.exec(uri) ?? []
  if (object === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no resource ${uri}: see resources/list.`)
  return schemaText((await call('schemas.get', { object })).data.attributes)
}

/** Tells a failure of an operation as an error of the protocol, which has no other way for resources. */
async function answering<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Failure) throw new ProtocolError(ProtocolErrorCode.InvalidParams, failureText(error))
    throw error
  }
}
