import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { atEnd } from './at-end.ts'

/** For 127.0.0.1, signed by nobody that anybody trusts; good for a hundred years: nothing else is wrong with it. */
const cert = `-----BEGIN CERTIFICATE-----
MIIBkDCCATagAwIBAgIUQcunm/hlM9c3ptIFMOJ554Om8QgwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyNjAyMjUzMloYDzIxMjYxMTAy
MDIyNTMyWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQ5RR0QrtipsBOFJid2/58uDZLYbcCC05OzhXirx9lnTxEFDo2PjNeJ
d5i1imetiSVZho6SO8KvHwSMU99WOmpeo2QwYjAdBgNVHQ4EFgQUgjOgJjKv/Quj
o5Jjz9mXPKMCN/swHwYDVR0jBBgwFoAUgjOgJjKv/Qujo5Jjz9mXPKMCN/swDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0gAMEUC
IFejkzmOAAZf0Cr10zmS9Sjh98uCrM9CK9bIzB8iiEsnAiEAnhXPzX6Uo1Bs5EFW
Ryos2yybjwxwMuamORoZcKlVGTY=
-----END CERTIFICATE-----`

/** Of this certificate alone, and so no secret. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgaxnn7oajTy2M46Zt
BbmrCqU0E0BdOTNu+kmSwmqLhp2hRANCAAQ5RR0QrtipsBOFJid2/58uDZLYbcCC
05OzhXirx9lnTxEFDo2PjNeJd5i1imetiSVZho6SO8KvHwSMU99WOmpe
-----END PRIVATE KEY-----`

/** The URL of a server over TLS that nobody should talk to. */
export async function selfSignedServer(): Promise<string> {
  const server = createServer({ cert, key }, (_, response) => void response.writeHead(200).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => void server.close())
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}
