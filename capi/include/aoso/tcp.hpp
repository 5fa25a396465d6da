// Ranks connected by TCP, without an engine. aoso.hpp includes this file.
#ifndef AOSO_TCP_HPP
#define AOSO_TCP_HPP

#include "collective.hpp"
#include "tcp.h"

namespace aoso {

// Which rank a process is, and how the ranks find one another: see aoso_tcp_options.
struct tcp_options {
    int32_t rank = 0;        // of this process, from 0
    int32_t size = 1;        // the number of ranks
    std::string host = {};   // where rank 0 listens; empty: at all addresses of the machine
    int32_t port = 0;        // where rank 0 listens; 0: at any free one
    std::string secret = {}; // 16 bytes or more, the same on all ranks; empty: none
    double timeout = 600;    // seconds to wait for the other ranks
};

// A rank that TCP connects with the others. From the beginning on, rank 0 listens.
class tcp_collective : public collective {
public:
    // Prepares a rank.
    explicit tcp_collective(const tcp_options &o) : options_(o), handle_(created(o)) {}

    // The port where rank 0 listens; 0 for other ranks.
    int32_t port() const {
        int32_t port = 0;
        detail::check(aoso_tcp_port(handle_.get(), &port));
        return port;
    }

    // Connects with the other ranks, which do so at the same time. host and port are where they reach rank 0.
    void connect(const std::string &host, int32_t port) {
        ranks_ = detail::filled<aoso_collective>(aoso_tcp_connect, handle_.get(), host.c_str(), port);
    }

    // Ends connect in progress, or the next one at once. Can be called from any thread.
    void interrupt() { detail::check(aoso_tcp_interrupt(handle_.get())); }

    // What a training asks of the ranks, after connect: see collective.
    int32_t rank() const override { return options_.rank; }
    int32_t size() const override { return options_.size; }
    bool scatters() const override { return true; }
    aoso_collective get() override { return connected(); }

    void all_reduce(int32_t op, span<int64_t> v) override {
        const aoso_collective &c = connected();
        detail::check(c.all_reduce(c.context, op, v.data(), static_cast<int64_t>(v.size())));
    }

    void reduce_scatter(span<int64_t> v, span<const int64_t> counts, span<int64_t> out) override {
        const aoso_collective &c = connected();
        detail::check(c.reduce_scatter(c.context, v.data(), counts.data(), out.data()));
    }

    std::vector<std::string> all_gather(const std::string &bytes) override {
        const aoso_collective &c = connected();
        const auto n = static_cast<int64_t>(bytes.size());
        std::vector<int64_t> sizes(static_cast<std::size_t>(size()));
        detail::check(c.gather_sizes(c.context, bytes.data(), n, sizes.data()));
        std::string all;
        for (int64_t size : sizes) all.resize(all.size() + static_cast<std::size_t>(size));
        all.push_back(0); // so that it has an address
        detail::check(c.gather(c.context, bytes.data(), n, sizes.data(), &all[0]));
        std::vector<std::string> parts;
        std::size_t at = 0;
        for (int64_t size : sizes) {
            parts.push_back(all.substr(at, static_cast<std::size_t>(size)));
            at += static_cast<std::size_t>(size);
        }
        return parts;
    }

    // Ends a call in progress. Can be called from any thread.
    void abort(const std::string &reason) override {
        const aoso_collective &c = connected();
        c.abort(c.context, reason.c_str());
    }

private:
    using handle = detail::object<aoso_tcp, aoso_tcp_free>;

    static handle created(const tcp_options &o) {
        aoso_tcp_options c{};
        c.struct_size = sizeof c;
        c.rank = o.rank;
        c.size = o.size;
        c.host = o.host.empty() ? nullptr : o.host.c_str();
        c.port = o.port;
        c.secret = o.secret.data();
        c.num_secret = static_cast<int64_t>(o.secret.size());
        c.timeout = o.timeout;
        return detail::make<handle>(aoso_tcp_create, &c);
    }

    const aoso_collective &connected() const {
        if (!ranks_.context) throw error(AOSO_INVALID_HANDLE, "the collective is not connected; allowed: after connect");
        return ranks_;
    }

    tcp_options options_;
    handle handle_;
    aoso_collective ranks_{};
};

} // namespace aoso

#endif
