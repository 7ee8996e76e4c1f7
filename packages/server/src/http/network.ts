import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import express from 'express'
import ipaddr from 'ipaddr.js'

/** The network that a request comes from: the key of every limit on callers without a credential. */
export type NetworkOf = (request: IncomingMessage) => string

type Trust = (address: string, hop: number) => boolean

/** Express compiles its `trust proxy` into this function; REST requests do not pass through Express. */
function trustOf(proxies: readonly string[]): Trust {
  const trust: unknown = express()
    .set('trust proxy', [...proxies])
    .get('trust proxy fn')
  return (address, hop) => typeof trust === 'function' && Reflect.apply(trust, undefined, [address, hop]) === true
}

/** Returns the address of the client: the last one that no trusted proxy has, read from the end of the header. */
function clientOf(request: IncomingMessage, trusts: Trust): string {
  const forwarded = [request.headers['x-forwarded-for']].flat().join(',').split(',')
  const hops = [request.socket.remoteAddress ?? '', ...forwarded.map((hop) => hop.trim()).toReversed()].filter(Boolean)
  const untrusted = hops.findIndex((hop, index) => !trusts(hop, index))
  return (untrusted === -1 ? hops.at(-1) : hops[untrusted]) ?? ''
}

/** Reads networks as the forms of sign-in do: `X-Forwarded-For` counts only from the proxies of `TRUSTED_PROXIES`. */
export function networkReader(trustedProxies: readonly string[]): NetworkOf {
  if (trustedProxies.length > 0) {
    const trusts = trustOf(trustedProxies)
    return (request) => addressBlock(clientOf(request, trusts))
  }
  // Parsing an address costs more than the rest of the admission, and a connection keeps its own.
  const known = new WeakMap<Socket, string>()
  return ({ socket }) => {
    const network = known.get(socket) ?? addressBlock(socket.remoteAddress ?? '')
    known.set(socket, network)
    return network
  }
}

/** Whom a limit is counted for: an IPv4 address, or the /64 of an IPv6 one, which is what one household is given. */
export function addressBlock(address: string): string {
  if (!ipaddr.isValid(address)) return address
  // An IPv4 address that came by a socket of IPv6 is one of IPv4 again.
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`
}
