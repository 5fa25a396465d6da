// Training on several machines. aoso.hpp includes this file.
#ifndef AOSO_COLLECTIVE_HPP
#define AOSO_COLLECTIVE_HPP

#include "base.hpp"
#include "collective.h"

#include <cstring>
#include <stdexcept>

namespace aoso {

// The machines that train together, as an engine such as MPI connects them: see
// aoso_collective. It must outlive the datasets made with it and their trainers.
// Exceptions of its functions come out of the call that invoked them.
class collective {
public:
    virtual ~collective() = default;

    virtual int32_t rank() const = 0; // this one, from 0
    virtual int32_t size() const = 0; // the number of ranks

    // Replaces numbers by the sums (AOSO_SUM), or the greatest (AOSO_MAX), of all ranks.
    virtual void all_reduce(int32_t op, span<int64_t> v) = 0;

    // What every rank gives, by rank. Lengths may differ, and may be 0.
    virtual std::vector<std::string> all_gather(const std::string &bytes) = 0;

    // Whether reduce_scatter is to be called, which then sends less than all_reduce. The
    // same on all ranks.
    virtual bool scatters() const { return false; }

    // The sums of this rank's part of v over all ranks, in out. v is the parts of all
    // ranks, one after another, of counts[r] numbers each, and may be overwritten.
    virtual void reduce_scatter(span<int64_t> v, span<const int64_t> counts, span<int64_t> out) {
        (void)v, (void)counts, (void)out;
        throw std::logic_error("a collective that scatters must have reduce_scatter");
    }

    // Tells the other ranks that this one gives up.
    virtual void abort(const std::string &reason) = 0;

    // For C. It refers to this object.
    virtual aoso_collective get() {
        aoso_collective c{};
        c.struct_size = sizeof c;
        c.rank = rank();
        c.size = size();
        c.context = this;
        c.all_reduce = [](void *self, int32_t op, int64_t *v, int64_t n) {
            return detail::guarded([&] {
                of(self)->all_reduce(op, span<int64_t>(v, static_cast<std::size_t>(n)));
                return 0;
            });
        };
        c.gather_sizes = [](void *self, const void *bytes, int64_t n, int64_t *sizes) {
            return detail::guarded([&] {
                auto &all = of(self)->gathered_;
                all = of(self)->all_gather(std::string(static_cast<const char *>(bytes), static_cast<std::size_t>(n)));
                for (std::size_t r = 0; r < all.size(); r++) sizes[r] = static_cast<int64_t>(all[r].size());
                return static_cast<int32_t>(all.size()) == of(self)->size() ? 0 : 1;
            });
        };
        c.gather = [](void *self, const void *, int64_t, const int64_t *, void *out) {
            auto at = static_cast<char *>(out);
            for (const std::string &part : of(self)->gathered_) {
                std::memcpy(at, part.data(), part.size());
                at += part.size();
            }
            return int32_t(0);
        };
        c.abort = [](void *self, const char *reason) {
            detail::guarded([&] {
                of(self)->abort(reason);
                return 0;
            });
        };
        if (!scatters()) return c;
        c.reduce_scatter = [](void *self, int64_t *v, const int64_t *counts, int64_t *out) {
            return detail::guarded([&] {
                const auto ranks = static_cast<std::size_t>(of(self)->size());
                int64_t all = 0;
                for (std::size_t r = 0; r < ranks; r++) all += counts[r];
                of(self)->reduce_scatter(span<int64_t>(v, static_cast<std::size_t>(all)), span<const int64_t>(counts, ranks),
                                         span<int64_t>(out, static_cast<std::size_t>(counts[of(self)->rank()])));
                return 0;
            });
        };
        return c;
    }

private:
    static collective *of(void *self) { return static_cast<collective *>(self); }

    std::vector<std::string> gathered_; // from one call of C to the next
};

} // namespace aoso

#endif
