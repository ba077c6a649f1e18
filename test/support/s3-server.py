"""Serves OpenStack Swift with its S3 interface: all of its servers in one process, with one device and one replica.

Usage: s3-server.py FOLDER PORT ACCESS_KEY SECRET_KEY
"""

import os
import socket
import sys

import eventlet
import eventlet.wsgi
from eventlet import patcher

patcher.monkey_patch(all=False, socket=True, select=True, thread=True)

from swift.common import ring, storage_policy, utils, wsgi  # noqa: E402

FOLDER, PORT, ACCESS_KEY, SECRET_KEY = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
DEVICES = os.path.join(FOLDER, "devices")
STORAGE = {"account": "account", "container": "container", "object": "object"}

PROXY = """
[pipeline:main]
pipeline = catch_errors cache s3api tempauth proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:s3api]
use = egg:swift#s3api
[filter:tempauth]
use = egg:swift#tempauth
user_{account}_{user} = {secret} .admin
"""
SERVER = """
[pipeline:main]
pipeline = {kind}-server
[app:{kind}-server]
use = egg:swift#{kind}
"""


def listen(port):
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(128)
    return listener


def build_ring(kind, port):
    builder = ring.RingBuilder(2, 1, 1)
    place = {"region": 1, "zone": 1, "ip": "127.0.0.1", "port": port, "device": "one", "weight": 1}
    builder.add_dev(place)
    builder.rebalance()
    builder.get_ring().save(os.path.join(FOLDER, kind + ".ring.gz"))


def load(kind, settings):
    path = os.path.join(FOLDER, kind + ".conf")
    defaults = "[DEFAULT]\nswift_dir = {}\ndevices = {}\nmount_check = false\nlog_level = ERROR\n".format(FOLDER, DEVICES)
    with open(path, "w") as file:
        file.write(defaults + settings)
    return wsgi.loadapp(path)


os.makedirs(os.path.join(DEVICES, "one"), exist_ok=True)
utils.HASH_PATH_PREFIX = utils.HASH_PATH_SUFFIX = b"test"
utils.SWIFT_CONF_FILE = os.path.join(FOLDER, "swift.conf")
storage_policy.reload_storage_policies()
listeners = {kind: listen(0) for kind in STORAGE}
for kind, listener in listeners.items():
    build_ring(kind, listener.getsockname()[1])
logger = utils.NullLogger()
for kind, listener in listeners.items():
    eventlet.spawn(eventlet.wsgi.server, listener, load(kind, SERVER.format(kind=kind)), logger)
account, user = ACCESS_KEY.split(":")
proxy = load("proxy", PROXY.format(account=account, user=user, secret=SECRET_KEY))
eventlet.wsgi.server(listen(PORT), proxy, logger, protocol=wsgi.SwiftHttpProtocol)
