# The service as it runs in production: its build, the packages that it needs there, and nothing else.
# DATABASE_URL, PUBLIC_URL, JWT_SECRETS and ENCRYPTION_KEYS come from outside: docs/generated/env.md.
#
# Bases are named by digest, so that one commit is one image. The digests are of images for several platforms;
# `docker buildx imagetools inspect node:24-bookworm-slim` prints a newer one. Both bases are of one Debian.

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
# What the packages depend on comes first, so that a change of the source does not install them again.
COPY package.json package-lock.json .npmrc ./
COPY clients/sdk/package.json clients/sdk/
# No package needs its install script here: native ones bring their binaries along.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build

# Without the embedded PostgreSQL, which production never starts.
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY clients/sdk/package.json clients/sdk/
RUN npm ci --ignore-scripts --omit=dev --omit=optional

# Node alone: no npm, no yarn, no compiler.
FROM debian:bookworm-slim@sha256:abd67ffcfa541b485a3dff59865ab629aa048a6c613e639d36e7456b0b229241
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /app/package.json ./
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
# The service serves it as a page.
COPY docs/REALTIME.md docs/
# Files belong to root: the service writes nothing here. A number, so that `runAsNonRoot` can check it.
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(answer => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# No shell and no npm between the container and the process: SIGTERM must reach it.
CMD ["node", "dist/main.js"]
