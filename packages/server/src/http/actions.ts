import type { RequestHandler } from 'express'
import { initTRPC, type TRPCDefaultErrorShape } from '@trpc/server'
import { createOpenApiExpressMiddleware, generateOpenApiDocument, type OpenApiMeta } from 'trpc-to-openapi'
import { z } from 'zod'
import {
  errorCodesOf,
  errorDefinitions,
  inputSchema,
  isMutation,
  isOpen,
  responseOf,
  version,
  suggestion,
} from '@kontor/contract'
import { defined } from '../lib/guards.ts'
import type { Call } from '../kernel/calls.ts'
import { failure } from '../kernel/errors.ts'
import { invoke } from '../kernel/invoke/invoke.ts'
import type { HeaderSink, Runtime } from '../kernel/invoke/runtime.ts'
import { apiSecurityHeaders, failureHeaders } from './answer.ts'
import { callInput, readKnownBody, type CallInput, type Transport } from './transport.ts'
import { incomingHeaders } from './exchange.ts'
import { failureOf, toTrpcError } from './trpc-errors.ts'

type Context = {
  readonly headers: ReturnType<typeof incomingHeaders> & { readonly network: string }
  readonly sink: HeaderSink
  readonly hold: (bytes: number, isRepeatable: boolean) => void
  readonly input: CallInput
  status: number
}
type Schemas = { readonly input: z.ZodObject; readonly output: z.ZodType }

const t = initTRPC
  .context<Context>()
  .meta<OpenApiMeta>()
  .create({
    isDev: false,
    // tRPC's own shape is not sent: trpc-to-openapi adds `message` and `code` to what this returns.
    errorFormatter: ({ error, ctx }) =>
      ({
        ...failureOf(error).toBody(ctx?.headers.requestId ?? ''),
        message: error.message,
      }) as unknown as TRPCDefaultErrorShape,
  })

/**
 * trpc-to-openapi sets `coerce` on schemas that it recognises, for every user of them: behind a pipe it does not see
 * them.
 */
const documented = ({ endpoint }: Call): Schemas => ({
  input: z.object(
    Object.fromEntries(
      Object.entries(inputSchema(endpoint).shape).map(([name, member]) => [name, z.pipe(member, z.unknown())]),
    ),
  ),
  output: responseOf(endpoint),
})

/**
 * At run time everything passes: the call is checked by `invoke`, as on every other surface, and after the caller is
 * known.
 */
const served = (): Schemas => ({ input: z.looseObject({}), output: z.unknown() })

const meta = ({ endpoint, name }: Call): OpenApiMeta => ({
  openapi: {
    method: 'POST',
    path: `/${name}`,
    operationId: name.replace('.', '_'),
    summary: endpoint.summary,
    tags: name.split('.').slice(0, 1),
    protect: !isOpen(endpoint),
    errorResponses: [...new Set(errorCodesOf(endpoint).map((code) => errorDefinitions[code].status))],
    ...(endpoint.description !== undefined && { description: endpoint.description }),
  },
})

function routerOf(runtime: Runtime, calls: readonly Call[], schemasOf: (call: Call) => Schemas) {
  const procedureFor = (call: Call) => {
    const { input, output } = schemasOf(call)
    return t.procedure
      .meta(meta(call))
      .input(input)
      .output(output)
      .mutation(async ({ ctx }) => {
        const given = ctx.input
        try {
          const { status, body, headers } = await invoke(
            runtime,
            call,
            { ...ctx.headers, surface: 'actions', scope: given, readInput: async () => given },
            ctx.sink,
          )
          // trpc-to-openapi writes the answer as text by itself; a second time here, to know how much it is.
          ctx.hold(JSON.stringify(body)?.length ?? 0, !isMutation(call.endpoint))
          Object.assign(ctx.sink, headers)
          ctx.status = status
          return body
        } catch (error) {
          throw toTrpcError(error)
        }
      })
  }
  const domains: Record<string, Record<string, ReturnType<typeof procedureFor>>> = {}
  for (const call of calls) {
    const [domain = '', key = ''] = call.name.split('.')
    ;(domains[domain] ??= {})[key] = procedureFor(call)
  }
  return t.router(domains)
}

export type ActionsSurface = { readonly middleware: RequestHandler; readonly document: () => unknown }

/**
 * `POST /actions/{operation}`: one flat JSON object in, one out, for scripts, low-code tools and agents that cannot do
 * brackets and path parameters. Served by trpc-to-openapi, which also writes its document.
 */
export function actionsSurface(transport: Transport, url: string): ActionsSurface {
  const { runtime, calls, exchange, challenge, onError } = transport
  const contexts = new WeakMap<object, Context>()
  const names = new Set(calls.map(({ name }) => name))
  const serve = createOpenApiExpressMiddleware({
    router: routerOf(runtime, calls, served),
    createContext: ({ req }) => defined(contexts.get(req)),
    responseMeta: ({ ctx, errors: [error] }) => {
      const failed = error && failureOf(error)
      const status = failed?.status ?? ctx?.status
      if (failed?.status === 500) onError(error?.cause ?? error, ctx?.headers.requestId ?? '')
      return {
        ...(status !== undefined && { status }),
        headers: {
          ...apiSecurityHeaders,
          ...ctx?.sink,
          ...(failed && { ...failureHeaders(failed), ...challenge(failed, ctx?.headers.authorization) }),
        },
      }
    },
  })
  const middleware: RequestHandler = (request, response) =>
    void exchange(request, response, async (requestId, sink, note) => {
      const name = request.path.slice(1, 200)
      note.operation = `actions:${name}`
      if (request.method !== 'POST' || !names.has(name))
        throw failure('not_found', `There is no ${request.method} action "${name}".${suggestion(name, [...names])}`)
      const input = callInput(await readKnownBody(transport, request, response, [name]))
      const hold: Context['hold'] = (bytes, isRepeatable) => transport.holdAnswer(response, bytes, isRepeatable)
      contexts.set(request, {
        headers: { ...incomingHeaders(request, requestId), network: transport.networkOf(request) },
        sink,
        input,
        status: 200,
        hold,
      })
      // trpc-to-openapi would write the body as text again, which deep nesting ends with a stack overflow.
      request.body = {}
      // It refuses a request without a type before it knows whose it is; a call without input needs no body, and so no
      // type.
      request.headers['content-type'] = 'application/json'
      await serve(request, response)
    })
  return { middleware, document: () => describe(routerOf(runtime, calls, documented), url) }
}

const describe = (router: ReturnType<typeof routerOf>, url: string): unknown =>
  generateOpenApiDocument(router, {
    title: 'Kontor actions',
    description: 'The operations of Kontor as one POST each: one flat JSON object in, one out.',
    version,
    baseUrl: url,
    openApiVersion: '3.1.0',
    securitySchemes: {
      apiKey: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Send `api-key <API_KEY>`.' },
      userToken: { type: 'http', scheme: 'bearer' },
    },
  })
